package replay

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// DamagedPages says which pages of a recording are not as they were recorded. Their
// events are not shown.
type DamagedPages struct {
	Parts  []DamagedPart  // in the order in which they were found, at most maxParts
	More   int            // parts that are not in Parts
	Events losses.Between // that were in all of them
}

// A DamagedPart is successive damaged pages of a CPU.
type DamagedPart struct {
	CPU    int
	After  uint64 // time of the last event before it, in ns since the trace began
	Bytes  int
	Events losses.Between // that were in it
}

// maxParts limits how many parts are named.
const maxParts = 100

func (d *DamagedPages) Error() string {
	if len(d.Parts) == 1 && d.More == 0 {
		return fmt.Sprintf("a part is damaged: %v are lost", d.Events)
	}
	return fmt.Sprintf("%d parts are damaged: %v are lost", len(d.Parts)+d.More, d.Events)
}

// String is text like "damaged: CPU 1, 4096 bytes after 1.000042, 37 events". The time is
// that of --time rel.
func (p DamagedPart) String() string {
	after := "at its start"
	if p.After > 0 {
		after = fmt.Sprintf("after %d.%06d", p.After/1e9, p.After%1e9/1e3)
	}
	return fmt.Sprintf("damaged: CPU %d, %d bytes %s, %v", p.CPU, p.Bytes, after, p.Events)
}

// smallestRecord is the size of an event without fields in bytes, its word included.
const smallestRecord = 12

// intact returns a function that returns the next page, or why it is damaged.
func intact(pages *tracedat.PageReader) func() ([]byte, error) {
	return func() ([]byte, error) {
		b, err := pages.Next()
		if err != nil {
			return nil, skippable(err)
		}
		if ringbuf.IsHole(b) {
			return nil, &read.DamagedPage{Bytes: len(b), Events: tracefs.LostUnknown, Err: tracedat.ErrDamaged}
		}
		return b, nil
	}
}

// skippable makes the error for a damaged page one that does not end the events of a CPU.
func skippable(err error) error {
	var damaged *tracedat.DamagedPage
	if errors.As(err, &damaged) {
		return &read.DamagedPage{Bytes: damaged.Size, Events: uint64(damaged.Events), Err: damaged}
	}
	return err
}

// damage notes where the file is damaged.
func (r *File) damage(cpu int, err error) {
	var page *read.DamagedPage
	if !errors.As(err, &page) {
		r.broken = cmp.Or(r.broken, err)
		return
	}
	if r.outside(page.After) {
		return
	}
	events := losses.Between{Min: page.Events, Max: page.Events}
	if page.Events == tracefs.LostUnknown {
		events = losses.Between{Min: 1, Max: uint64(page.Bytes / smallestRecord)}
	}
	r.damages.add(DamagedPart{cpu, max(page.After, r.Start) - r.Start, page.Bytes, events})
	r.Gaps.Damage()
}

func (d *DamagedPages) add(p DamagedPart) {
	d.Events.Add(p.Events)
	for i := len(d.Parts) - 1; i >= 0; i-- {
		if last := &d.Parts[i]; last.CPU == p.CPU {
			if last.After == p.After {
				last.Bytes += p.Bytes
				last.Events.Add(p.Events)
				return
			}
			break
		}
	}
	if len(d.Parts) == maxParts {
		d.More++
		return
	}
	d.Parts = append(d.Parts, p)
}
