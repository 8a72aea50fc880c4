package output

import (
	"context"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/merge"
)

// A timeline is what is shown of several recordings.
type timeline struct {
	*merge.Timeline
	of    map[*merge.Recording]*render.Recording
	hosts int // width of their names in columns
}

func newTimeline(t *merge.Timeline) *timeline {
	all := &timeline{t, map[*merge.Recording]*render.Recording{}, len("HOST")}
	for _, r := range t.Recordings {
		all.of[r] = &render.Recording{
			Host: r.Host, File: r.Name, Shift: r.Shift, Wall: r.ToWall, Drift: r.Clock.Drift,
			Symbol: r.Symbol, IsCode: r.IsCode, IsName: r.IsName, Process: r.Process, Order: r.Order,
		}
		all.hosts = max(all.hosts, render.TextWidth(render.AppendEscaped(nil, []byte(r.Host), render.NoQuote)))
	}
	all.hosts = min(all.hosts, mostHost)
	return all
}

// mostHost is the widest column HOST. A longer name moves the rest of its line.
const mostHost = 24

// sources returns the plans of all recordings, in their order.
func (t *timeline) sources() (all []render.Source) {
	for _, r := range t.Recordings {
		for _, s := range sources(&r.Stream, 0) {
			s.From = t.of[r]
			all = append(all, s)
		}
	}
	return all
}

// began returns when what is shown began, on the time line.
func (t *timeline) began() uint64 {
	began := t.Recordings[0].At(t.Recordings[0].Began())
	for _, r := range t.Recordings[1:] {
		began = min(began, r.At(r.Began()))
	}
	return began
}

// ShowTimeline shows the calls of several recordings, and where each was made.
func (out *Output) ShowTimeline(mt *merge.Timeline) error {
	t := newTimeline(mt)
	from := t.sources()
	ro := out.shown()
	ro.Start, ro.Hosts, ro.About = t.Start, t.hosts, func() *render.Recording { return out.about }
	if add, unknown := t.ToWall(); unknown == nil {
		ro.Clock = func(uint64) int64 { return add }
	}
	sink := out.o.Notation.Sink(from, ro)
	out.begin(sink)
	for _, r := range t.Recordings {
		out.about = t.of[r]
		out.Origin(r.Origin)
	}
	out.about = nil
	t.Lost = func(r *merge.Recording, e *tracefs.Event) {
		out.about = t.of[r]
		out.lost(e)
		out.about = nil
	}
	all := t.Calls(context.Background())
	if out.total != nil {
		all = out.total.count(all, from, t.began(), nil)
	}
	defer out.sums.start(from, sum.Options{Start: t.began(), SwitchedOff: t.switchedOff()}, sink, out)()
	return out.each(all)
}

// switchedOff returns since when calls of a plan are missing, in times of the time line.
func (t *timeline) switchedOff() func(p *plan.Plan, from, to uint64) *tracefs.SwitchOff {
	of := map[*plan.Plan]*merge.Recording{}
	for _, r := range t.Recordings {
		for _, p := range r.Plans {
			of[p] = r
		}
	}
	return func(p *plan.Plan, from, to uint64) *tracefs.SwitchOff {
		r := of[p]
		o := r.Spans.SwitchedOff(p, r.From(from), r.From(to))
		if o != nil {
			o.Time = r.At(o.Time)
		}
		return o
	}
}

// TimelineLosses reports what each recording did not show.
func (out *Output) TimelineLosses(mt *merge.Timeline) {
	t := newTimeline(mt)
	var all []*losses.Losses
	for _, r := range t.Recordings {
		l := r.Losses()
		all = append(all, l)
		out.about = t.of[r]
		out.losses(l, out.ui.About(r.Name))
		out.about = nil
	}
	out.total.say(out.ui, all...)
}
