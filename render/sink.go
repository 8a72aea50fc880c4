// Package render has what all outputs share: the [Sink] that each output implements, the
// text of values by their C types and FORMATs, and pictures of errors in specs. The
// outputs are packages below it.
//
// Nothing that comes from the kernel is trusted. Every string is escaped, so that the
// name of a task, file or device cannot act on the terminal or look like another line.
package render

import (
	"encoding/binary"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Sink shows calls and other messages of a trace. Each method appends to dst what is to
// be written at that moment, if anything. Begin and End do not allocate, except for
// buffers that grow with the longest line.
type Sink interface {
	// Open is called before all else, Close after it.
	Open(dst []byte) []byte
	Close(dst []byte) []byte

	// Origin shows where and when the trace was made. It is called before the first call,
	// and again at the end if the origin is known.
	Origin(dst []byte, o *tracefs.Origin) []byte

	// Add adds plans. Their Call.Plan continues the count of those before.
	Add(sources []Source)

	// Begin shows a call that has only begun (calls.Options.Begin), End a call that is
	// over. Unless calls are delivered at both times, only End is called.
	Begin(dst []byte, c *calls.Call) []byte
	End(dst []byte, c *calls.Call) []byte

	// Idle appends what was held back, because there may be no call for a while.
	Idle(dst []byte) []byte

	// Lost shows that e.Lost events on e's CPU were lost before e.
	Lost(dst []byte, e *tracefs.Event) []byte

	// LostTotal shows what was lost on each CPU during the whole trace.
	LostTotal(dst []byte, stats []tracefs.CPUStats) []byte

	// Missed shows how often the probe of a function's calls, or of its returns, could
	// not run. If atMost is set, n is an upper bound.
	Missed(dst []byte, function string, returns bool, n uint64, atMost bool) []byte

	// Unfinished shows how many calls of a function began and did not end, of which
	// nothing was recorded. If earlier is set, they began before the trace.
	Unfinished(dst []byte, function string, n uint64, earlier bool) []byte

	// SwitchedOff shows that later calls of a function are missing, because there were too
	// many.
	SwitchedOff(dst []byte, o *tracefs.SwitchOff) []byte

	// Interfered shows what another program has done to the trace.
	Interfered(dst []byte, i *tracefs.Interference) []byte
}

// Options say how calls are shown. An output ignores those that it has no use for.
type Options struct {
	Header  bool // a line above the columns
	Color   bool
	Verbose bool // show callers, and functions in stacks, with the offset of the call

	Zeros   bool // in objects, also show what is zero
	Types   bool // C types in trees
	Compact bool // a tree on one line

	Group GroupMode // headings above calls; the lines do not repeat them

	// Columns returns the current width of the terminal, for which lines are laid out; 0
	// if it is not known. It is nil if there is no terminal; then lines are not folded.
	Columns func() int

	// Rows returns the current height of a terminal on which the summary of each interval
	// replaces the one before; 0 if it is not known. It is nil if all remain.
	Rows func() int

	Time  TimeMode
	Start uint64 // ns on the trace clock that TimeRel shows as 0
	// Clock returns what to add to a time on the trace clock to get the time since 1970, in
	// ns, for TimeClock. It is nil if that is not known.
	Clock func(now uint64) int64
	Zone  *time.Location // for TimeClock; nil for local time

	// Symbol returns the symbol at an address of the kernel and the offset from it in
	// bytes. module is "" for the kernel itself. If Symbol is nil, addresses are shown as
	// numbers.
	Symbol func(addr uint64) (name, module string, off uint64, ok bool)

	// IsCode reports whether the symbol at an address is a function. It is nil if that is
	// not known.
	IsCode func(addr uint64) bool

	// IsName reports whether an address is made up, because only the name of its symbol
	// was recorded. If it is nil, no address is.
	IsName func(addr uint64) bool

	// Process returns the process of a thread at this point of the trace, and whether it is
	// known. If Process is nil, none is.
	Process func(tid int) (pid int, ok bool)

	Order binary.ByteOrder // byte order of the records; nil for little endian

	// Hosts is the width of the column HOST if several recordings are shown together, 0 if
	// there is none. About then returns the recording that a message is about that is not a
	// call, nil if it is about all; it is nil if there is one trace.
	Hosts int
	About func() *Recording
}

// A Source is a plan whose calls are shown, with its decoders.
type Source struct {
	Plan     *plan.Plan
	Decoders []*value.Decoder // one for each of Plan.Probes
	From     *Recording       // nil if there is one trace
}
