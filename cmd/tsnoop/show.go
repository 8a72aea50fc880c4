package main

import (
	"iter"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A sink takes calls and returns whether it wants more.
type sink func(*calls.Call) bool

// show makes calls of the events for a sink, until there are no more or none is
// wanted.
func (r *reading) show(events iter.Seq2[*tracefs.Event, error], pairers []*calls.Pairer, show sink, lost *losses) error {
	for event, err := range events {
		if err != nil {
			return err
		}
		if event.Lost > 0 {
			lost.add(event)
		}
		for _, pairer := range pairers {
			for c, ok := pairer.Add(event); ok; c, ok = pairer.Next() {
				r.leaves(c)
				if !show(c) {
					return nil
				}
			}
		}
	}
	for _, pairer := range pairers {
		pairer.Rest(show)
		if n := pairer.Tally(); n != (calls.Tally{}) {
			r.ui.detail("%d returns came without their entry, %d calls did not end", n.Orphans, n.Unfinished)
		}
	}
	return nil
}

// sink says what becomes of the calls. idle is to be called when no more come for
// now, or for ever.
func (r *reading) sink(o *options, out *output, to render.Sink, sums *summing) (_ sink, idle func()) {
	show := func(c *calls.Call) bool {
		if c.Begun {
			return out.line(func(dst []byte) []byte { return to.Begin(dst, c) })
		}
		return out.line(func(dst []byte) []byte { return to.End(dst, c) })
	}
	next := o.limited(sums.adding(show))
	if !o.begins() {
		next = r.matching(next) // a Pairer has not asked yet
	}
	return next, func() { out.line(to.Idle) }
}

// matching passes on the calls that meet the conditions which the kernel could
// not decide.
func (r *reading) matching(next sink) sink {
	return func(c *calls.Call) bool { return !r.matches(c) || next(c) }
}

// limited passes on as many calls as --count says.
func (o *options) limited(next sink) sink {
	n := 0
	return func(c *calls.Call) bool {
		if !c.Begun {
			n++
		}
		return next(c) && (o.count == 0 || n < o.count)
	}
}
