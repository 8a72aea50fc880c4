package main

import (
	"iter"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// show writes the calls and adds them up, until there are no more or none is wanted.
func show(r *trace.Reading, all iter.Seq2[*calls.Call, error], o *options, out *output, lost *losses, sums *summing) error {
	to := lost.sink
	idle := func() { out.line(to.Idle) }
	r.Lost, r.Idle = lost.add, idle
	defer sums.begin(r, out, to, idle)()
	defer idle()
	n, lines := 0, o.summary != "only"
	for c, err := range all {
		if err != nil {
			return err
		}
		if sums != nil && !sums.add(c) || lines && !out.show(to, c) {
			return nil
		}
		if !c.Begun {
			n++
		}
		if n == o.count && n > 0 {
			return nil
		}
	}
	return nil
}

// show writes what a sink makes of a call, and returns whether it makes sense to go on.
func (o *output) show(to render.Sink, c *calls.Call) bool {
	return o.line(func(dst []byte) []byte {
		if c.Begun {
			return to.Begin(dst, c)
		}
		return to.End(dst, c)
	})
}

// sources are the plans with what decodes their events.
func sources(r *trace.Reading) []render.Source {
	var sources []render.Source
	for _, p := range r.Plans() {
		s := render.Source{Plan: p}
		for _, probe := range p.Probes {
			s.Decoders = append(s.Decoders, r.Decoder(probe))
		}
		sources = append(sources, s)
	}
	return sources
}

// newSink makes what shows the calls, and begins the output.
func newSink(r *trace.Reading, o *options, out *output) render.Sink {
	return out.begin(o.newSink(sources(r), render.Options{
		Header: out.terminal && o.summary != "only", Color: out.color, Verbose: o.verbose,
		Zeros: o.zeros, Types: o.types, Compact: o.compact,
		Time: o.time, Start: r.Start(), Clock: r.WallClock(), Symbol: r.Symbol, IsCode: r.IsCode, Order: r.Order(),
	}))
}

// begins tells whether calls are shown when they begin, too.
func (o *options) begins() bool { return o.chain || o.tree }

// pairs tells whether both the entry and the return of every call are needed.
func (o *options) pairs() bool { return o.begins() || o.summary != "" }
