// Package source is the table of what the events of a spec come from.
package source

import "github.com/tsnoop/tsnoop/fetchargs/dynevent"

// A Source is what the events of a spec come from. To add one, add a row to sources, and one
// each in package find, for how specs name it and what it has, and in package route, for where
// its values are.
type Source uint8

const (
	Function Source = iota // of the kernel or of a module
	Syscall                // a system call by its own name
)

// A row describes a source.
type row struct {
	values string          // what its values are called, in the plural
	probes []dynevent.Kind // by side; without a return there is only the entry
}

var sources = [...]row{
	Function: {values: "parameters", probes: []dynevent.Kind{dynevent.Kprobe, dynevent.Kretprobe}},
	Syscall:  {values: "parameters", probes: []dynevent.Kind{dynevent.Kprobe, dynevent.Kretprobe}},
}

// Values returns what the values of the source are called: "parameters".
func (s Source) Values() string { return sources[s].values }

// Value returns what one of them is called: "parameter".
func (s Source) Value() string { return sources[s].values[:len(sources[s].values)-1] }

// Probe returns the kind of probe that reports a side of its calls. It reports false if what
// comes from the source has no such side.
func (s Source) Probe(side dynevent.Side) (kind dynevent.Kind, ok bool) {
	if probes := sources[s].probes; int(side) < len(probes) {
		return probes[side], true
	}
	return 0, false
}

// AtFunctions reports whether its probes are put at functions.
func (s Source) AtFunctions() bool { return sources[s].probes[dynevent.Entry].AtFunction() }

// Returns reports whether what comes from the source also ends, with a result.
func (s Source) Returns() bool {
	_, ok := s.Probe(dynevent.Return)
	return ok
}
