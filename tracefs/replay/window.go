package replay

import (
	"maps"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// pages returns the pages of a CPU from the window on, or all of them if earlier events say
// something about later ones.
func (r *File) pages(c *tracedat.CPU) *tracedat.PageReader {
	if r.Window == nil || r.Window.From == 0 || r.needsPast {
		return c.Pages()
	}
	return c.PagesFrom(r.Window.From, r.timesOf)
}

// timesOf returns the times of the first and of the last event of a page.
func (r *File) timesOf(b []byte) (times tracedat.PageTimes, ok bool) {
	var page ringbuf.Page
	if ringbuf.IsHole(b) || page.Reset(r.layout(), b) != nil {
		return times, false
	}
	for page.Next() {
		at := r.shown(page.Stamp)
		if !ok {
			times.First, times.Last, ok = at, at, true
		}
		times.Last = max(times.Last, at)
	}
	return times, ok
}

// shown converts the time of a page to that of events.
func (r *File) shown(stamp uint64) uint64 {
	if r.IsOwn() {
		return stamp
	}
	return r.file.Time(stamp)
}

// End returns the time of the last event of the recording, or its start if there is none. It
// reads the last pages.
func (r *File) End() uint64 {
	end := r.Start
	for i := range r.file.Buffers {
		for j := range r.file.Buffers[i].CPUs {
			if last, ok := r.file.Buffers[i].CPUs[j].Last(r.timesOf); ok {
				end = max(end, last.Last)
			}
		}
	}
	return end
}

// outside reports whether a damaged page has no event of the window: what precedes it on its
// CPU is after the window.
func (r *File) outside(page uint64) bool { return r.Window != nil && page > r.Window.To }

// lossesIn returns what the events of the window say about lost ones. Counts of
// the recording that have no time are for all of it.
func (r *File) lossesIn() *losses.Losses {
	w := r.Window
	if w.Events == 0 && !r.shared {
		end := r.End() - r.Start
		r.Warner.Warnf("no event is between --from and --to: the recording is from 0.000000 to %d.%06d", end/1e9, end%1e9/1e3)
	}
	l := losses.Losses{Recorded: true, Part: true, Kept: r.kept(), Start: r.Start, Damaged: r.damages.Events}
	off := slices.DeleteFunc(slices.Clone(r.Plans), func(p *plan.Plan) bool { return r.Spans.SwitchedOff(p, w.From, w.To) == nil })
	l.SwitchedOff = r.Spans.SwitchOffs(off, r.Plans)
	for _, cpu := range slices.Sorted(maps.Keys(w.Lost)) {
		l.CPUs = append(l.CPUs, tracefs.CPUStats{CPU: cpu, Overrun: w.Lost[cpu]})
	}
	return &l
}
