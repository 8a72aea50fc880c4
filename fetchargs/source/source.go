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
	probes []dynevent.Kind // by side
}

var sources = [...]row{
	Function: {values: "parameters", probes: []dynevent.Kind{dynevent.Kprobe, dynevent.Kretprobe}},
	Syscall:  {values: "parameters", probes: []dynevent.Kind{dynevent.Kprobe, dynevent.Kretprobe}},
}

// Values returns what the values of the source are called: "parameters".
func (s Source) Values() string { return sources[s].values }

// Value returns what one of them is called: "parameter".
func (s Source) Value() string { return sources[s].values[:len(sources[s].values)-1] }

// Probe returns the kind of probe that reports a side of its calls.
func (s Source) Probe(side dynevent.Side) dynevent.Kind { return sources[s].probes[side] }
