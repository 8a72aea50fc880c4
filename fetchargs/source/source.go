// Package source is the table of what the events of a spec come from.
package source

import "github.com/tsnoop/tsnoop/fetchargs/dynevent"

// A Source is what the events of a spec come from. To add one, add a row to sources, and one
// each in package find, for how specs name it and what it has, and in package route, for where
// its values are.
type Source uint8

const (
	Function   Source = iota // of the kernel or of a module
	Syscall                  // a system call by its own name
	Tracepoint               // an event of the kernel's own
)

// A Way is a way to see what comes from a source: the kinds of probes, by side. Without a
// return there is only the entry.
type Way []dynevent.Kind

// A row describes a source.
type row struct {
	values string // what its values are called, in the plural
	ways   []Way  // the first that can carry out a spec is taken
}

var sources = [...]row{
	Function:   {values: "parameters", ways: []Way{{dynevent.Kprobe, dynevent.Kretprobe}}},
	Syscall:    {values: "parameters", ways: []Way{{dynevent.Kprobe, dynevent.Kretprobe}}},
	Tracepoint: {values: "fields", ways: []Way{{dynevent.Existing}, {dynevent.Eprobe}, {dynevent.Tprobe}}},
}

// Values returns what the values of the source are called: "parameters".
func (s Source) Values() string { return sources[s].values }

// Value returns what one of them is called: "parameter".
func (s Source) Value() string { return sources[s].values[:len(sources[s].values)-1] }

// Ways returns the ways to see what comes from the source, in the order in which to try them.
func (s Source) Ways() []Way { return sources[s].ways }

// AtFunctions reports whether its probes are put at functions.
func (s Source) AtFunctions() bool { return sources[s].ways[0][dynevent.Entry].AtFunction() }

// Returns reports whether what comes from the source also ends, with a result.
func (s Source) Returns() bool {
	_, ok := sources[s].ways[0].Probe(dynevent.Return)
	return ok
}

// Probe returns the kind of probe that reports a side. It reports false if there is no such
// side.
func (w Way) Probe(side dynevent.Side) (kind dynevent.Kind, ok bool) {
	if int(side) < len(w) {
		return w[side], true
	}
	return 0, false
}

// A Limit is why a value cannot be had in one way. There may be another way.
type Limit struct {
	Why  string
	In   Way    // in which it can be had, nil if that is not known
	Hint string // what to do where there is that way, which does not have all else
}

func (l Limit) Error() string { return l.Why }
