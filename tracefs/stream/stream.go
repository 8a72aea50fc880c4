// Package stream turns the events of some plans into calls. A running trace and a
// recording do that in the same stages, each with a file of its own: what is known of
// threads and stacks goes into the events (events.go), package amend writes into their
// records what the kernel could not, those outside of a window are left out (window.go),
// pairs become calls (pairing.go), of which those
// remain that were whole (spans.go), are asked for and meet the conditions (match.go).
// Gaps and steps of the host's clock are reported where the events come to them. Package
// replay reads a recording as a stream, package trace arms plans and reads the events of
// the kernel.
package stream

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
)

// A Stream holds what is needed to understand the events of some plans, and the stages
// between these events and their calls.
type Stream struct {
	Hooks
	Plans  []*plan.Plan // Call.Plan is an index
	Order  binary.ByteOrder
	Start  uint64          // when the trace began, in ns on the clock of the event times
	Origin *tracefs.Origin // where and when the trace was made, nil if nothing of it is known; while a trace runs, its end is not known
	Warner tracefs.Warner

	// Symbol names what is at a kernel address: its name, its module ("" for the kernel
	// itself) and the offset of addr in it, in bytes. The first call may take some 100
	// ms, since the symbols are read then or in the background. IsCode reports whether
	// it is a function. IsName reports whether an address in a record is made up, because
	// text has only the name of what is at the address.
	Symbol         func(addr uint64) (name, module string, off uint64, ok bool)
	IsCode, IsName func(addr uint64) bool

	Formats []*tracefs.Format      // of the events, each once
	Mapped  func(addr uint64) bool // which kernel addresses can be read; nil if not known
	known   map[int]bool           // IDs of Formats
	// nameless has the IDs of events that the kernel has by itself, which do not have the
	// names of their tasks.
	nameless   map[int]bool
	stacks     *tracefs.Format // format of the records with stacks; nil if none are wanted
	format     map[*plan.Probe]*tracefs.Format
	decoder    map[*plan.Probe]*value.Decoder
	assemblers map[*value.Extent]*value.ObjectAssembler // for objects that are recorded in several parts

	Own       *tasks.OwnThreads // threads whose events are shown; nil for all
	Processes *tasks.Processes  // nil if nobody asks for the processes of threads
	Names     *tasks.Names      // of tasks whose names are not in their events
	Amend     *amend.Stage
	Wall      WallClock
	Gaps      Gaps
	pairers   []*calls.Pairer
	begin     bool   // also yield calls when they begin
	Spans     *Spans // when the trace was whole; nil if that is not known

	Window *Window // the part of a recording that is shown; nil for all

	Kept losses.Kept // what a recording stores of the losses; of a trace that runs, what is known of it

	CPUs []int // calls that begin on these CPUs are shown; nil for all
	// Choose reports whether a call is of those that are asked for, besides that it meets
	// the conditions.
	Choose   func(*calls.Call, *plan.Plan) bool
	observer Observer
	decoders []*value.Decoder // scratch space of matches: the decoders of a plan's probes, and the records of a call
	records  [][]byte
}

// Hooks are called by the goroutine that ranges over the calls. Each may be nil.
type Hooks struct {
	// Lost is called with an event before which others were lost on its CPU, before the
	// calls that the event ends are yielded.
	Lost func(*tracefs.Event)
	Idle func() // there are no events at the moment
	// ClockSet is called with what to report when the events come to a time at which the
	// host's clock was set.
	ClockSet func(tracefs.Interference)
	Further  func() // Plans has grown
}
