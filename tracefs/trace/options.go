package trace

import (
	"github.com/tsnoop/tsnoop/tracefs"
)

// Options says what to trace and how. The zero value traces all calls.
type Options struct {
	Pids   []int // process IDs; all their threads are traced, new ones too; nil for all processes
	Follow bool  // trace their children too, present and future
	// Processes says that Reading.Process will be asked.
	Processes bool

	Program string // name and version of the program that traces, for the Origin

	CPUs []int // trace calls that begin on one of these, ascending; nil for all

	Clock    string // clock of the event times: "mono" (or "") or "boot"
	BufferKB int    // size of each CPU's buffer in KiB; 0 chooses by the machine's memory
	Stacks   bool   // record a kernel stack with every event; not with Text
	Text     bool   // read trace_pipe instead of the raw pages; PlanOptions.Text must also be set

	Reload bool // allow Reload; not with Chain
	Wait   bool // go on after all modules that functions are in were unloaded
	Begin  bool // also yield calls when they begin
	// Chain yields only calls in which the first plan's function led to the second's,
	// that one to the third's, and so on. Calls are yielded as with Begin.
	Chain bool

	// MaxRate is how many events a second one probe may have, or 0 for no limit. A
	// probe with more in two successive seconds is switched off. Force also arms
	// functions that may bring the machine to a stop.
	MaxRate int
	Force   bool

	// Ready, if not nil, is called when all probes are defined, before the first event is
	// recorded. An error ends arming.
	Ready func(*Trace) error

	Restore bool // undo what other programs change of the trace; otherwise only warn

	// Warn receives what does not end the trace. Several goroutines call it.
	//
	// Progress reports how arming and removing go. For "arming", n of all functions are
	// done; otherwise n is 0, and all is how many probes are left to be enabled, disabled
	// or removed.
	//
	// Log receives every write to tracefs. Each of them may be nil.
	Warn     func(tracefs.Warning)
	Progress func(doing string, n, all int)
	Log      func(format string, args ...any)
}
