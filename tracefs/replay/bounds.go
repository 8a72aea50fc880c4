package replay

import (
	"cmp"
	"fmt"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// An event takes three bytes or more of a compressed file, if only because times differ.
// Pages that somebody has made can have thousands in a byte.
const mostWork = 2 << 20 // for any file, and for each MiB of it

// work returns how many times longer an event takes to be shown than one with few fields
// and no text.
func work(f *tracefs.Format, size int) int {
	texts := 1
	for i := range f.Fields {
		if f.Fields[i].DataLoc {
			texts++ // each can show all of the record
		}
	}
	return 1 + len(f.Fields)/16 + size*texts/512
}

// within ends the events of a compressed file that has too many for its size.
func (r *File) within(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*tracefs.Event, error] {
	if r.file.Compression == "none" {
		return events
	}
	most := mostWork + int(r.size>>20)*mostWork
	return func(yield func(*tracefs.Event, error) bool) {
		var format *tracefs.Format
		size, each, all := 0, 0, 0
		for e, err := range events {
			if err == nil {
				if e.Format != format || len(e.Data) != size {
					format, size = e.Format, len(e.Data)
					each = work(format, size)
				}
				if all += each; all > most {
					r.broken = cmp.Or(r.broken, r.tooMany(e.CPU, all, most))
					return
				}
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (r *File) tooMany(cpu, n, most int) error {
	e := &tracedat.Error{What: fmt.Sprintf("data of CPU %d", cpu), Err: &tracedat.BoundError{What: "events, large ones counted several times", Value: uint64(n), Bound: uint64(most)}}
	for i := range r.file.Buffers {
		for j := range r.file.Buffers[i].CPUs {
			if c := &r.file.Buffers[i].CPUs[j]; c.ID == cpu && c.Size > 0 {
				e.Offset = c.Offset()
				return e
			}
		}
	}
	return e
}
