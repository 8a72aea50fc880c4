package main

import (
	"iter"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// show writes the calls and aggregates them, until there are no more or enough are
// shown.
func show(r *trace.Reading, all iter.Seq2[*calls.Call, error], o *flags.Options, out *output, sums *summing) error {
	from := sources(r, 0)
	ro := o.Show
	ro.Header, ro.Color, ro.Columns = out.terminal && o.Summary != "only", out.color, out.columns()
	ro.Start, ro.Clock, ro.Order, ro.Symbol, ro.IsCode, ro.IsName = r.Start(), r.WallClock(), r.Order(), r.Symbol, r.IsCode, r.IsName
	out.begin(o.Notation.Sink(from, ro))
	lines, n := o.Summary != "only", 0
	if out.total != nil {
		all = out.total.count(all, from, r)
	}
	r.Lost = func(e *tracefs.Event) {
		if lines {
			out.Lost(e)
		}
		if sums != nil {
			sums.Lose(e)
		}
		if out.total != nil {
			out.total.Lose(e)
		}
	}
	r.Idle, r.Further = out.Idle, grow(r, out, sums)
	defer sums.begin(from, r.Start(), r.Order(), r.Symbol, out)()
	defer out.Idle()
	for c, err := range all {
		if err != nil {
			return err
		}
		if sums != nil && !sums.Add(c) || lines && !out.Show(c) {
			return nil
		}
		if !c.Begun {
			n++
		}
		if n == o.Count && n > 0 {
			return nil
		}
	}
	return nil
}

// grow returns a function that adds the plans that are armed while a trace runs.
func grow(r *trace.Reading, out *output, sums *summing) func() {
	shown := len(r.Plans())
	return func() {
		further := sources(r, shown)
		shown += len(further)
		if sums != nil {
			sums.Grow(further, func() { out.Add(further) })
		} else {
			out.Add(further)
		}
		if out.total != nil {
			out.total.Grow(further)
		}
	}
}

// sources returns the plans from index from on, with the decoders of their events.
func sources(r *trace.Reading, from int) []render.Source {
	var sources []render.Source
	for _, p := range r.Plans()[from:] {
		s := render.Source{Plan: p}
		for _, probe := range p.Probes {
			s.Decoders = append(s.Decoders, r.Decoder(probe))
		}
		sources = append(sources, s)
	}
	return sources
}

// losses reports what the trace does not show, on stderr and in the data.
func (out *output) losses(l *trace.Losses, o *flags.Options, ui *ui) {
	l.Tell(ui.tell)
	if o.Summary == "only" {
		return
	}
	if l.Events() > 0 {
		out.LostTotal(l.CPUs)
	}
	for _, m := range l.Missed {
		out.Missed(m.Func, m.Return, m.Calls)
	}
	out.total.say(l, ui)
}
