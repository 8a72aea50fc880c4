package main

import (
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// show makes calls of the events and prints them, until there are no more or
// none is wanted.
func (r *reading) show(events iter.Seq2[*tracefs.Event, error], o *options, out *output, lost *losses) error {
	pairers := r.pairers()
	shown := 0
	show := func(c *calls.Call) bool {
		if !r.matches(c) {
			return true
		}
		ok := out.line(func(dst []byte) []byte { return lost.printer.AppendCall(dst, c) })
		shown++
		return ok && (o.count == 0 || shown < o.count)
	}
	for event, err := range events {
		if err != nil {
			return err
		}
		if event.Lost > 0 {
			lost.add(event)
		}
		for _, pairer := range pairers {
			for c, ok := pairer.Add(event); ok; c, ok = pairer.Next() {
				if !show(c) {
					return nil
				}
			}
		}
	}
	for _, pairer := range pairers {
		pairer.Rest(show)
	}
	return nil
}
