package main

import (
	"slices"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/text"
)

// notations are the ways to write calls. The first is the default; each of the others
// has a flag of its name.
var notations = []notation{
	{"text", newText},
	{"json", func(s []render.Source, o render.Options) render.Sink { return json.New(s, o) }},
}

// A notation makes a sink for calls. Call.Plan is an index into the sources.
type notation struct {
	name string
	sink func([]render.Source, render.Options) render.Sink
}

// newSink returns the sink that the command line asks for.
func (o *options) newSink(s []render.Source, opts render.Options) render.Sink {
	return notations[max(slices.Index(o.notations, true), 0)].sink(s, opts)
}

// newText returns a sink that writes calls as lines, laid out for a terminal if there
// is one.
func newText(s []render.Source, o render.Options) render.Sink {
	if o.Columns != nil {
		return text.NewScreen(s, o)
	}
	return text.New(s, o)
}
