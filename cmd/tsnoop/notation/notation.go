// Package notation lists the ways to write calls. To add one, add a package below render
// and a row here.
package notation

import (
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/render/text"
)

// All are the notations. The first is the default; each of the others has a flag of its
// name.
var All = []Notation{
	{"text", "", newText},
	{"json", "one JSON object a line: see tsnoop help json", func(s []render.Source, o render.Options) sum.Sink { return json.New(s, o) }},
}

// A Notation makes a sink for calls. Call.Plan is an index into the sources.
type Notation struct {
	Name string
	Text string // what its flag is for
	Sink func([]render.Source, render.Options) sum.Sink
}

// newText returns a sink that writes calls as lines, laid out for a terminal if there
// is one.
func newText(s []render.Source, o render.Options) sum.Sink {
	if o.Columns != nil {
		return text.NewScreen(s, o)
	}
	return text.New(s, o)
}
