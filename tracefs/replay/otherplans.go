package replay

import (
	"iter"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// otherPlans returns a plan for each event that another tool may have recorded.
func (r *File) otherPlans(specs []string) ([]*plan.Plan, formatOf, error) {
	arch := abi.Named("amd64")
	for word := range strings.FieldsSeq(r.file.Uname) {
		if a := abi.Named(word); a != nil {
			arch = a // the machine is the last of the words
		}
	}
	var plans []*plan.Plan
	formats := formatOf{}
	all, err := r.otherFormats(specs)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range all {
		conversions := tracepoint.Conversions(f.Print)
		var columns []plan.Column
		for _, field := range f.Fields {
			if strings.HasPrefix(field.Name, "common_") {
				continue
			}
			columns = append(columns, plan.Column{
				Name: field.Name, Type: field.Type, Size: field.Size, Signed: field.Signed,
				DataLoc: field.DataLoc, Array: field.Array, Elem: field.ElemSize(), Format: conversions[field.Name],
			})
		}
		plan := plan.FromEvent(f.Group, f.Name, columns, arch)
		plans = append(plans, plan)
		formats[plan.Entry()] = f
	}
	r.Start = r.first()
	return plans, formats, nil
}

// translated adds what only the file knows: the names of tasks, and event times
// converted to those that are shown.
func (r *File) translated(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*tracefs.Event, error] {
	comms := make(map[int][]byte, len(r.file.Cmdlines))
	for tid, comm := range r.file.Cmdlines {
		comms[tid] = []byte(comm)
	}
	comms[0] = []byte("<idle>")
	return func(yield func(*tracefs.Event, error) bool) {
		last, comm := -1, []byte(nil)
		for e, err := range events {
			if e.TID != last {
				last, comm = e.TID, comms[e.TID]
			}
			e.Comm, e.Time = comm, r.file.Time(e.Time)
			if !yield(e, err) {
				return
			}
		}
	}
}

// first returns the time of the first event, or 0 if there is none.
func (r *File) first() uint64 {
	first := ^uint64(0)
	for i := range r.file.Buffers {
		for j := range r.file.Buffers[i].CPUs {
			var page ringbuf.Page
			pages := r.file.Buffers[i].CPUs[j].Pages()
			for b, err := pages.Next(); err == nil; b, err = pages.Next() {
				if page.Reset(r.layout(), b) == nil && page.Next() {
					first = min(first, page.Stamp)
					break
				}
			}
		}
	}
	if first == ^uint64(0) {
		return 0
	}
	return r.file.Time(first)
}
