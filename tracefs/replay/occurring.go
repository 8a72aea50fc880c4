package replay

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A plan takes some 2 KB for each field of its event. trace-cmd can store the formats of
// all events of the kernel, some 30,000 fields, of which few occur.
const (
	manyFields = 4 << 10  // of more fields, only those of events that occur get plans
	mostFields = 15 << 10 // of events that occur; all events of a whole system under load have some 8,000
	mostEvents = 4 << 10
)

// otherFormats returns the formats of the events that another tool has recorded. If
// there are many, it leaves out those that neither occur nor are named in specs.
func (r *File) otherFormats(specs []string) (formats []*tracefs.Format, err error) {
	fields := 0
	for _, e := range r.file.Events {
		f, err := tracefs.ParseFormat(strings.NewReader(e.Text))
		if err != nil {
			r.Warner.Detailf("an event of %s is not shown: %v", e.System, err)
			continue
		}
		f.Group = e.System
		formats = append(formats, f)
		fields += len(f.Fields)
	}
	if fields <= manyFields {
		return formats, nil
	}
	occurs := r.occurring()
	formats = slices.DeleteFunc(formats, func(f *tracefs.Format) bool {
		return !occurs[f.ID] && !slices.ContainsFunc(specs, func(s string) bool { return strings.Contains(s, f.Name) })
	})
	fields = 0
	for _, f := range formats {
		fields += len(f.Fields)
	}
	for _, b := range []tracedat.BoundError{
		{What: "fields of events that occur", Value: uint64(fields), Bound: mostFields},
		{What: "events that occur", Value: uint64(len(formats)), Bound: mostEvents},
	} {
		if b.Value > b.Bound {
			return nil, fmt.Errorf("event formats: %w", &b)
		}
	}
	return formats, nil
}

// occurring returns the IDs of the events in all pages.
func (r *File) occurring() map[int]bool {
	occurs := map[int]bool{}
	var page ringbuf.Page
	for i := range r.file.Buffers {
		for j := range r.file.Buffers[i].CPUs {
			pages := r.file.Buffers[i].CPUs[j].Pages()
			for b, err := pages.Next(); err == nil; b, err = pages.Next() {
				if page.Reset(r.layout(), b) != nil {
					continue
				}
				for page.Next() {
					if len(page.Data) >= 2 {
						occurs[int(r.Order.Uint16(page.Data))] = true
					}
				}
			}
		}
	}
	return occurs
}
