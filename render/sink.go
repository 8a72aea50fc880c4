// Package render is what all outputs have in common: the [Sink] that each of
// them is, how values are shown by their C types and FORMATs, and pictures of
// what is wrong in a spec. The outputs are packages below it.
//
// Nothing that comes from the kernel is trusted: every string is escaped, so
// that no task, file or device can be named so as to act on the terminal or to
// look like another line.
package render

import (
	"encoding/binary"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Sink shows calls, and what else is to be said of a trace. Each method
// appends to dst what is to be written then, if anything. Begin and End allocate
// nothing, but for memory that grows with the longest line.
type Sink interface {
	// Open comes before all else, Close after it.
	Open(dst []byte) []byte
	Close(dst []byte) []byte

	// Add takes in further plans: their Call.Plan counts on from those before.
	Add(sources []Source)

	// Begin shows a call that has only begun (calls.Options.Begin), End one that
	// is over. Where no call is handed out twice there is only End.
	Begin(dst []byte, c *calls.Call) []byte
	End(dst []byte, c *calls.Call) []byte

	// Idle appends what was held back, for nothing may come for a while.
	Idle(dst []byte) []byte

	// Lost shows that events of e's CPU were lost before e: e.Lost.
	Lost(dst []byte, e *tracefs.Event) []byte

	// LostTotal shows what was lost on each CPU over the whole trace.
	LostTotal(dst []byte, stats []tracefs.CPUStats) []byte

	// Missed shows how often the probe of a function could not run, that of its
	// returns or of its calls.
	Missed(dst []byte, function string, returns bool, n uint64) []byte

	// Interfered shows what another program has done to the trace.
	Interfered(dst []byte, i *tracefs.Interference) []byte

	// Summary shows what calls came to.
	Summary(dst []byte, s *Summary) []byte
}

// Options say how calls are shown. What an output has no use for it ignores.
type Options struct {
	Header  bool // above the columns, for people
	Color   bool
	Verbose bool // callers, and the functions of stacks, with the offset of the call

	Zeros   bool // of objects what is zero, too
	Types   bool // C types in trees
	Compact bool // a tree on one line

	Group GroupMode // headings above calls; what they say is not on the lines

	// Columns is how many columns the terminal has, that lines are laid out for, at
	// this moment; 0 if that is not known. If it is nil there is no terminal, and lines
	// are as long as they are.
	Columns func() int

	Time  TimeMode
	Start uint64         // ns on the trace clock: the zero of TimeRel
	Clock int64          // ns to add to the trace clock for the time since 1970, for TimeClock
	Zone  *time.Location // for TimeClock; nil for local time

	// Symbol names what lies at an address of the kernel. module is "" for
	// the kernel itself. It may be nil: addresses are shown as numbers then.
	Symbol func(addr uint64) (name, module string, off uint64, ok bool)

	// IsCode reports whether what Symbol names at an address is a function. If it is nil
	// that is not known.
	IsCode func(addr uint64) bool

	// IsName reports whether an address is made up, for only the name that Symbol has of it
	// was recorded. If it is nil none is.
	IsName func(addr uint64) bool

	Order binary.ByteOrder // of the records; nil for little endian
}

// A Source is a plan whose calls are to be shown.
type Source struct {
	Plan     *fetchargs.Plan
	Decoders []*value.Decoder // of Plan.Probes
}
