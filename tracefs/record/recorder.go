// Package record writes the raw pages of a trace to files, merges those into a trace.dat
// file, and recovers that from what a killed recorder has left. It knows nothing of what
// the pages are about: the caller gives the header that describes them.
package record

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// Options says how to make a recording.
type Options struct {
	Count    int           // stop after this many events; 0 for no limit
	Compress bool          // write trace.dat version 7 with zstd
	Sync     time.Duration // write pages to the disk before they are that old; 0 leaves it to the kernel
}

// Begin writes the head of the recording. h is what is needed to understand the pages. It
// may lack what is known only at the end, which the caller adds to it later. The addresses
// in the pages are named with the symbols of table, which may be nil. An error is a *FileError:
// where there is no room for the head, there is none for events.
func (rec *Recorder) Begin(h *tracedat.Header, table *symbols.Table) error {
	rec.header = h
	rec.layout, rec.pageSize = ringbuf.Layout{BigEndian: h.BigEndian, LongSize: h.LongSize}, h.PageSize
	if err := writeHead(rec.head, *h); err != nil {
		return fileError(err)
	}
	rec.headed = true
	if err := rec.syncHead(); err != nil {
		rec.warner.Warnf("after a power cut, what this has recorded may be lost: %v", err)
	}
	if table != nil {
		rec.names = newNames(table)
	}
	return nil
}

// writeHead writes a header without pages, but with the checksums of itself.
func writeHead(f *os.File, h tracedat.Header) error {
	h.Sums = strings.NewReader("")
	return tracedat.Write(f, &h, nil)
}

// Revise has revise change what Begin was given for tsnoop itself, in case that the recorder is
// killed. Pages can be taken meanwhile. It must have returned before Save is called.
func (rec *Recorder) Revise(revise func(tsnoop []byte) ([]byte, error)) {
	h := *rec.header
	var err error
	if h.Tsnoop, err = revise(h.Tsnoop); err == nil {
		err = rec.replaceHead(h)
	}
	if err != nil {
		rec.warner.Warnf("what is known only now is not in %s, in case that this tsnoop is killed: %v", rec.headName(), err)
	}
}

// replaceHead replaces the head. At any time there is one, which is locked.
func (rec *Recorder) replaceHead(h tracedat.Header) error {
	f, err := rec.dir.Create(rec.tmpName())
	if err != nil {
		return err
	}
	if err = cmp.Or(writeHead(f, h), claim(f), f.Sync()); err == nil {
		err = rec.dir.Rename(f, rec.headName())
	}
	if err != nil {
		return errors.Join(err, f.Close(), rec.dir.Remove(rec.tmpName()))
	}
	was := rec.head
	rec.head = f
	return cmp.Or(was.Close(), rec.syncHead())
}

// Header returns what Begin was given, or nil.
func (rec *Recorder) Header() *tracedat.Header { return rec.header }

// Take stores pages until there are no more, or enough events. They are on the disk then.
// now returns the time on the trace clock, in ns. Take calls each after each page. Events
// with the ID births are only for tsnoop itself: they are not counted.
func (rec *Recorder) Take(pages iter.Seq2[read.Page, error], now func() uint64, births int, each func()) error {
	count := rec.options.Count
	defer rec.tick()()
	var page ringbuf.Page
	for p, err := range pages {
		if err != nil {
			return err
		}
		lost := uint64(0)
		if err := page.Reset(rec.layout, p.Data); err != nil {
			rec.warner.Warnf("CPU %d: %v", p.CPU, err)
			continue
		}
		if n := page.Lost(); n != ringbuf.LostUnknown {
			lost = n
		}
		taken := now()
		rec.mu.Lock()
		events, first := rec.count(&page, births, taken)
		rec.mu.Unlock()
		if err := rec.add(p, events, time.Duration(taken-first)); err != nil {
			return err
		}
		each()
		rec.events.Add(events)
		rec.lost.Add(lost)
		if count > 0 && rec.events.Load() >= uint64(count) {
			return nil
		}
	}
	return nil
}

// count returns the number of events on a page and the time of the first one, at most now,
// and looks for addresses in them.
// Those with the ID births do not count: they are recorded before events are enabled.
func (rec *Recorder) count(page *ringbuf.Page, births int, now uint64) (events, first uint64) {
	for first = now; page.Next(); {
		if births < 0 || len(page.Data) < 2 || eventID(rec.layout, page.Data) != births {
			first = min(first, page.Stamp)
			events++
			rec.names.scan(page.Data, rec.layout.BigEndian)
		}
	}
	return events, first
}

// eventID returns the ID of a record's event.
func eventID(layout ringbuf.Layout, record []byte) int {
	if layout.BigEndian {
		return int(binary.BigEndian.Uint16(record))
	}
	return int(binary.LittleEndian.Uint16(record))
}

// String returns the state of the recording: "123 events, 4.0 MiB, 0 lost". The size is
// that of the pages so far, and once it is saved that of the file. It may be called at
// any time.
func (rec *Recorder) String() string {
	return fmt.Sprintf("%s, %s, %d lost", plural.Of(rec.events.Load(), "event"), Size(rec.bytes.Load()), rec.lost.Load())
}

// A Size is a number of bytes.
type Size uint64

// String returns the size in MiB, or in KiB if it is less than one.
func (s Size) String() string {
	if s < 1<<20 {
		return fmt.Sprintf("%d KiB", (s+1<<10-1)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(s)/(1<<20))
}

// Save makes the file of the pages, which h describes.
func (rec *Recorder) Save(h *tracedat.Header) error {
	if rec.options.Compress {
		h.Version, h.Zstd = 7, true
	}
	return rec.save(h)
}
