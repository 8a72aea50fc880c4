package main

import (
	"iter"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// A want takes calls and returns whether it wants more.
type want func(*calls.Call) bool

// show gives calls to who wants them, until there are no more or none is wanted.
func show(calls iter.Seq2[*calls.Call, error], to want) error {
	for c, err := range calls {
		if err != nil {
			return err
		}
		if !to(c) {
			return nil
		}
	}
	return nil
}

// sources are the plans with what decodes their events.
func sources(r *trace.Reading) []render.Source {
	var sources []render.Source
	for _, p := range r.Plans() {
		sources = append(sources, render.Source{Plan: p, Entry: r.Decoder(p.Entry()), Return: r.Decoder(p.Return())})
	}
	return sources
}

// newSink makes what shows the calls, and begins the output.
func newSink(r *trace.Reading, o *options, out *output) render.Sink {
	return out.begin(o.newSink(sources(r), render.Options{
		Header: out.terminal && o.summary != "only", Color: out.color, Verbose: o.verbose,
		Time: o.time, Start: r.Start(), Clock: r.WallClock(), Symbol: r.Symbol, Order: r.Order(),
	}))
}

// wanted says what becomes of the calls. idle is to be called when no more come for
// now, or for ever.
func wanted(o *options, out *output, to render.Sink, sums *summing) (_ want, idle func()) {
	show := func(c *calls.Call) bool {
		if c.Begun {
			return out.line(func(dst []byte) []byte { return to.Begin(dst, c) })
		}
		return out.line(func(dst []byte) []byte { return to.End(dst, c) })
	}
	return o.limited(sums.adding(show)), func() { out.line(to.Idle) }
}

// begins tells whether calls are shown when they begin, too.
func (o *options) begins() bool { return o.chain || o.tree }

// pairs tells whether both the entry and the return of every call are needed.
func (o *options) pairs() bool { return o.begins() || o.summary != "" }

// limited passes on as many calls as --count says.
func (o *options) limited(next want) want {
	n := 0
	return func(c *calls.Call) bool {
		if !c.Begun {
			n++
		}
		return next(c) && (o.count == 0 || n < o.count)
	}
}
