package read

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// A Source returns the pages of one CPU's buffer, in order.
type Source struct {
	CPU int
	// Next returns the next page, which is valid until the next call, or io.EOF at the
	// end. After a *DamagedPage there may be more.
	Next func() ([]byte, error)
}

// A DamagedPage is the error for a page that is not, or not all, as it was recorded.
type DamagedPage struct {
	After  uint64 // time of the last event of the CPU before it, 0 if there is none
	Bytes  int
	Events uint64 // that it had and that are not yielded, LostUnknown if that is not known
	Err    error  // what is wrong with it
}

func (e *DamagedPage) Error() string { return e.Err.Error() }
func (e *DamagedPage) Unwrap() error { return e.Err }

// Options says how to read pages.
type Options struct {
	Layout  ringbuf.Layout
	Formats []*tracefs.Format // records of any other event are skipped
	// Further, if not nil, is called when a record matches none of Formats. It returns
	// the formats that were added since the last call, nil if none were.
	Further func() []*tracefs.Format
	// Other, if not nil, is called if Further does not help. It returns the format of
	// an event that has got another ID, or nil to skip the record.
	Other func(id int) *tracefs.Format
	// Damaged is called for damaged pages and streams. Intact records are yielded anyway.
	// It may be nil.
	Damaged func(cpu int, err error)
	// Idle is called when all events so far were yielded, before waiting for more. It
	// may be nil.
	Idle func()
	// Aside, if not nil, takes the events of another session in between.
	Aside *Aside
}

// Merge yields the events of several CPUs in the order of their times. At equal times
// the lower CPU comes first; events of one CPU stay in the order of its buffer. An
// event and its slices are valid until the next one.
func Merge(o Options, sources []Source) iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		m := newMerger(o)
		for _, s := range sources {
			m.add(&stream{cpu: s.CPU, next: s.Next})
		}
		for len(m.heap) > 0 {
			if !m.emit(noLimit, yield) {
				return
			}
		}
	}
}

// errEmpty is returned by the source of a stream that may have pages later.
var errEmpty = errors.New("nothing there now")

const noLimit = ^uint64(0)

// A stream is the sequence of records of one CPU.
type stream struct {
	cpu  int
	next func() ([]byte, error)
	page ringbuf.Page
	size int    // of the page in bytes
	last uint64 // time of the last record
	lost uint64 // events lost since the last record that was yielded

	aside bool // its records are for Options.Aside
}

// advance moves to the next record. It returns errEmpty or io.EOF if there is none.
func (s *stream) advance(m *merger) error {
	for !s.page.Next() {
		if s.page.Stamp > 0 {
			s.last = s.page.Stamp
		}
		if err := s.page.Err(); err != nil {
			s.damaged(m, tracefs.LostUnknown, err)
		}
		b, err := s.next()
		if err != nil {
			s.page = ringbuf.Page{}
			if err := s.skip(m, err); err != nil {
				s.lostAside(m, noLimit)
				return err
			}
			continue
		}
		s.size = len(b)
		if err := s.page.Reset(m.opts.Layout, b); err != nil {
			s.damaged(m, tracefs.LostUnknown, err)
			s.page = ringbuf.Page{}
			continue
		}
		s.lose(m, s.page.Lost())
	}
	s.lostAside(m, s.page.Stamp)
	return nil
}

// skip returns err unless it is that of a damaged page, after which there may be more.
func (s *stream) skip(m *merger, err error) error {
	var damaged *DamagedPage
	if !errors.As(err, &damaged) {
		return err
	}
	s.size = damaged.Bytes
	s.damaged(m, damaged.Events, damaged.Err)
	return nil
}

// lose adds n events that were lost before the next record.
func (s *stream) lose(m *merger, n uint64) {
	if s.lost == 0 && n > 0 && !s.aside {
		m.losing++
	}
	s.lost = addLost(s.lost, n)
}

// damaged notes that n records are lost because a page is damaged.
func (s *stream) damaged(m *merger, n uint64, err error) {
	s.lose(m, n)
	if !s.aside {
		m.damaged(s.cpu, &DamagedPage{s.last, s.size, n, err})
	}
}

func addLost(a, b uint64) uint64 {
	if a == tracefs.LostUnknown || b == tracefs.LostUnknown {
		return tracefs.LostUnknown
	}
	return a + b
}

// A merger merges streams by time.
type merger struct {
	opts    Options
	formats []*tracefs.Format // by ID - base
	base    int
	heap    []*stream // streams that have a record, earliest first
	empty   []*stream // streams that may have a record later
	losing  int       // number of streams that lost events before their next record
	event   tracefs.Event
}

func newMerger(o Options) *merger {
	m := &merger{opts: o}
	m.index()
	return m
}

// index stores the formats where read finds them fastest.
func (m *merger) index() {
	if len(m.opts.Formats) == 0 {
		return
	}
	m.base = m.opts.Formats[0].ID
	last := m.base
	for _, f := range m.opts.Formats {
		m.base, last = min(m.base, f.ID), max(last, f.ID)
	}
	m.formats = make([]*tracefs.Format, last-m.base+1)
	for _, f := range m.opts.Formats {
		m.formats[f.ID-m.base] = f
	}
}

// other returns the format of an event ID that is not among the formats, or nil if it is
// not known. It asks for further formats first.
func (m *merger) other(id int) *tracefs.Format {
	if m.opts.Further != nil {
		if further := m.opts.Further(); len(further) > 0 {
			m.opts.Formats = append(m.opts.Formats[:len(m.opts.Formats):len(m.opts.Formats)], further...)
			m.index()
			for _, f := range further {
				if f.ID == id {
					return f
				}
			}
		}
	}
	if m.opts.Other != nil {
		return m.opts.Other(id)
	}
	return nil
}

func (m *merger) damaged(cpu int, err error) {
	if m.opts.Damaged != nil {
		m.opts.Damaged(cpu, err)
	}
}

// add reads the next record of s and adds s to the merge.
func (m *merger) add(s *stream) {
	switch err := s.advance(m); {
	case err == nil:
		m.push(s)
	case errors.Is(err, errEmpty):
		m.empty = append(m.empty, s)
	case !errors.Is(err, io.EOF):
		m.damaged(s.cpu, err)
	}
}

// emit yields records of the first stream as long as they are the earliest and not
// later than limit. It returns false if the caller stops.
func (m *merger) emit(limit uint64, yield func(*tracefs.Event, error) bool) bool {
	s := m.heap[0]
	// The second earliest stream is one of the two children of the first.
	for _, next := range m.heap[1:min(3, len(m.heap))] {
		limit = min(limit, next.page.Stamp)
	}
	for {
		if s.aside {
			m.opts.Aside.take(m.opts.Layout, s)
		} else if ev := m.read(s); ev != nil && !yield(ev, nil) {
			return false
		}
		if err := s.advance(m); err != nil {
			m.pop()
			if errors.Is(err, errEmpty) {
				m.empty = append(m.empty, s)
			} else if !errors.Is(err, io.EOF) {
				m.damaged(s.cpu, err)
			}
			return true
		}
		if s.page.Stamp >= limit { // at equal times the heap decides
			m.down(0)
			return true
		}
	}
}

// read makes an event of the current record of s, or returns nil if its format is not
// known.
func (m *merger) read(s *stream) *tracefs.Event {
	data := s.page.Data
	if len(data) < commonSize {
		s.damaged(m, tracefs.LostUnknown, fmt.Errorf("record of %d bytes", len(data)))
		return nil
	}
	var id, tid uint32
	if m.opts.Layout.BigEndian {
		id, tid = uint32(binary.BigEndian.Uint16(data)), binary.BigEndian.Uint32(data[4:])
	} else {
		id, tid = uint32(binary.LittleEndian.Uint16(data)), binary.LittleEndian.Uint32(data[4:])
	}
	var format *tracefs.Format
	if i := int(id) - m.base; uint(i) < uint(len(m.formats)) {
		format = m.formats[i]
	}
	if format == nil {
		if format = m.other(int(id)); format == nil {
			return nil
		}
	}
	if format.Shared() {
		if format = format.Part(data, m.opts.Layout.BigEndian); format == nil {
			return nil
		}
	}
	e := &m.event
	e.Format, e.Time, e.CPU, e.TID = format, s.page.Stamp, s.cpu, int(int32(tid))
	e.Comm, e.Data, e.Lost, e.Stack, e.Losing = nil, data, s.lost, nil, false
	if m.losing > 0 {
		if s.lost > 0 {
			s.lost = 0
			m.losing--
		}
		e.Losing = m.losing > 0
	}
	return e
}

// commonSize is the size of struct trace_entry (include/linux/trace_events.h) in bytes:
// u16 type, u8 flags, u8 preempt_count, s32 pid. It has not changed since 2.6.31.
const commonSize = 8
