package amend

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
)

// The kernel drops an event whose text is too long for a page of the buffer. The spare of
// the probe then has the call with the beginning of each text (see package fetchargs),
// and its record is rewritten as if the probe itself had made it.
//
// A spare has an event whenever one of the texts has Head.Sure bytes or more, right after
// the event of its probe, on the same CPU, or instead of it. So the event before shows
// which it is.

// spares finds the events of spares that stand for events of their probes.
type spares struct {
	of   map[int]*spare // by the ID of the spare's event
	own  map[int]*spare // by the ID of the event of its probe
	last []spareOwn     // by CPU
	seed maphash.Seed
}

// A spare knows how to rewrite the events of one spare.
type spare struct {
	probe  *plan.Probe     // whose spare it is
	format *tracefs.Format // of the probe's events
	dec    *value.Decoder  // of the probe's events
	its    *value.Decoder  // of the spare's
	size   int             // bytes of the fixed part of the probe's records
	same   []sameBytes
	texts  []spareText
	calls  []int // offsets in the probe's records of numbers that differ from call to call
	event  tracefs.Event
	buf    []byte
}

// sameBytes are in the records of both, at different places.
type sameBytes struct{ from, to, size int }

// A spareText is a text of the probe's records. In those of the spare it is a text too,
// or the first bytes of it.
type spareText struct {
	arg, loc   int // index among the probe's args, and offset of its word
	field      int // the field that shows it, -1 if there is none
	from, size int // place in the spare's records; the size is 0 if it is a text there
	sure       int // bytes of it that make the spare have an event
	end        *value.ReadCheck
}

// A spareOwn is the last event of a probe with a spare on a CPU.
type spareOwn struct {
	of   *spare // nil if the last event of the CPU was another
	tid  int
	time uint64
	next expected
	call uint64 // hash of the numbers that differ from call to call
}

// expected says whether the spare has an event after one of its probe.
type expected uint8

const (
	never  expected = iota
	maybe           // a text could not be read, and it is not known how much of it the spare could read
	always          // a text is long
)

// sameHit is the longest time, in ns, between the events of a probe and of its spare for
// one call. It matters only where it is not sure that there is an event of the spare.
const sameHit = 200_000

// LearnSpare notes how the records of a probe and of its spare are laid out, if both are
// known.
func (st *Stage) LearnSpare(p *plan.Probe) {
	if p.SpareOf != nil {
		p = p.SpareOf
	}
	own, its := st.layouts[p].Format, st.layouts[p.Spare].Format
	if p.Spare == nil || own == nil || its == nil {
		return
	}
	if st.spares.of == nil {
		st.spares = spares{of: map[int]*spare{}, own: map[int]*spare{}, seed: maphash.MakeSeed()}
	}
	s := &spare{probe: p, format: own, dec: st.layouts[p].Decoder, its: st.layouts[p.Spare].Decoder}
	for i := range own.Fields {
		f := &own.Fields[i]
		s.size = max(s.size, f.Offset+f.Size)
		if from := its.Field(f.Name); !f.DataLoc && from != nil && from.Size == f.Size && f.Name != "common_type" {
			s.same = append(s.same, sameBytes{from.Offset, f.Offset, f.Size})
		}
	}
	heads := map[int]*plan.Head{}
	for i := range p.Spare.Heads {
		heads[p.Spare.Heads[i].Arg] = &p.Spare.Heads[i]
	}
	for i := range p.Args {
		a := &p.Args[i]
		f := own.Field(a.Name)
		if !a.IsString() {
			if len(a.Hops) == 0 && f.Size == 8 {
				s.calls = append(s.calls, f.Offset)
			}
			continue
		}
		t := spareText{arg: i, loc: f.Offset, field: p.TextField(i)}
		if h := heads[i]; h != nil {
			t.from, t.size, t.sure, t.end = its.Field(p.Spare.Args[h.First].Name).Offset, h.Size(p.Spare), h.Sure, h.End
		} else if from := its.Field(a.Name); from != nil {
			t.from = from.Offset
		}
		s.texts = append(s.texts, t)
	}
	s.dec.MayCut()
	st.spares.of[its.ID], st.spares.own[own.ID] = s, s
}

// spared takes the next event and returns the one to use in its place: for an event of a
// spare that stands for one of its probe, that one.
func (st *Stage) spared(e *tracefs.Event) *tracefs.Event {
	for e.CPU >= len(st.spares.last) {
		st.spares.last = append(st.spares.last, spareOwn{})
	}
	last := &st.spares.last[e.CPU]
	was := *last
	*last = spareOwn{}
	if s := st.spares.own[e.Format.ID]; s != nil {
		*last = spareOwn{of: s, tid: e.TID, time: e.Time, next: s.expects(e.Data)}
		if last.next == maybe {
			last.call = s.callOf(st, e.Data)
		}
		return e
	}
	s := st.spares.of[e.Format.ID]
	if s == nil || e.Lost == 0 && was.of == s && was.tid == e.TID && was.next == always {
		return e
	}
	if !s.rewrite(st, e) || s.wasKept(e) {
		return e
	}
	if e.Lost == 0 && was.of == s && was.tid == e.TID && was.next == maybe && e.Time-was.time < sameHit && was.call == s.callOf(st, s.event.Data) {
		return e
	}
	return &s.event
}

// expects says whether an event of the spare follows a record of the probe.
func (s *spare) expects(data []byte) (next expected) {
	for i := range s.texts {
		t := &s.texts[i]
		if t.size == 0 {
			continue
		}
		text := s.dec.Text(t.arg, data)
		unread := text == nil
		if t.field >= 0 {
			unread = s.dec.Value(t.field, data).Kind == value.Fault
		}
		switch {
		case !unread && len(text) < t.sure:
		case !unread, s.dec.Proven(t.field, t.sure, data): // it goes on where there is no memory
			return always
		case !s.dec.Unreadable(t.field, data):
			next = maybe
		}
	}
	return next
}

// callOf returns a hash of the numbers that differ from call to call.
func (s *spare) callOf(st *Stage, data []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(st.spares.seed)
	for _, at := range s.calls {
		if at+8 <= len(data) {
			h.Write(data[at : at+8])
		}
	}
	return h.Sum64()
}

// rewrite makes s.event of e, an event of the spare. It returns false if e is damaged.
func (s *spare) rewrite(st *Stage, e *tracefs.Event) bool {
	data := slices.Grow(s.buf[:0], s.size)[:s.size]
	clear(data)
	st.order.PutUint16(data, uint16(s.format.ID))
	for _, c := range s.same {
		if c.from+c.size > len(e.Data) {
			return false
		}
		copy(data[c.to:], e.Data[c.from:c.from+c.size])
	}
	heads := 0
	for i := range s.texts {
		t := &s.texts[i]
		if text, ok := t.in(st, e.Data); !ok {
			return false
		} else if len(text) > 0 && len(data)+len(text) < math.MaxUint16 {
			st.order.PutUint32(data[t.loc:], uint32(len(text))<<16|uint32(len(data)))
			data = append(data, text...)
		}
		if t.size > 0 {
			heads++
		}
	}
	s.buf, s.event = data, *e
	s.event.Format, s.event.Data = s.format, data
	for i := range s.texts {
		// Only one of the texts is known to be too long, and so to have been in memory.
		if t := &s.texts[i]; t.size > 0 && heads > 1 && !s.dec.Proven(t.field, t.sure, data) {
			st.order.PutUint32(data[t.loc:], value.TooLong)
		}
	}
	return true
}

// in returns the text in a record of the spare, with its NUL if that was fetched.
func (t *spareText) in(st *Stage, data []byte) (text []byte, ok bool) {
	if t.size == 0 {
		if t.from == 0 || t.from+4 > len(data) {
			return nil, t.from == 0
		}
		loc := st.order.Uint32(data[t.from:])
		off, n := int(loc&0xffff), int(loc>>16)
		if n > 0 && off+n > len(data) {
			return nil, true
		}
		if n == 0 {
			return nil, true
		}
		return data[off : off+n], true
	}
	if t.from+t.size > len(data) {
		return nil, false
	}
	text = data[t.from : t.from+t.size]
	if end := len(value.UntilNUL(text)); end < len(text) {
		text = text[:end+1]
	}
	return text, true
}

// wasKept reports whether the event that s.event stands for was not too large: e, the
// event of the spare, has old memory in place of the texts that look long.
func (s *spare) wasKept(e *tracefs.Event) bool {
	for i := range s.texts {
		t := &s.texts[i]
		if t.size > 0 && !slices.Contains(e.Data[t.from:t.from+t.sure], 0) &&
			!s.dec.Unreadable(t.field, s.event.Data) && !s.its.Denies(t.end, e.Data) {
			return false
		}
	}
	return true
}
