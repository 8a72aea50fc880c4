package trace

import (
	"fmt"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Options says what is traced and how. The zero value traces all calls.
type Options struct {
	Pids   []int // processes: all their threads, new ones too; nil for all
	Follow bool  // and their children, those they have and those to come
	CPUs   []int // calls that begin on one of these, in order; nil for all

	Clock    string // of the events' times: "mono", which is "", or "boot"
	BufferKB int    // size of each CPU's buffer, KiB; 0 lets the machine's memory decide
	Stacks   bool   // a stack of the kernel with every event; not with Text
	Text     bool   // trace_pipe is read instead of the pages of each CPU: set PlanOptions.Text, too

	Replan bool // Replan may be called; not with Chain
	Wait   bool // it goes on when all modules that functions are in have gone
	Begin  bool // calls are handed out when they begin, too
	// Chain hands out only calls in which the first plan's function has led to the
	// second's, that to the third's and so on, as with Begin.
	Chain bool

	// MaxRate is how many events a second a probe may have; with more, for two seconds
	// running, it is switched off. 0 is for no limit. Really arms functions that may
	// bring the machine to a stop, too.
	MaxRate int
	Really  bool

	Rearm bool // what other programs change of the trace is set back; else it is only told

	// Warn is told what does not end the trace, Progress how arming and removing
	// go: "arming" has n of all functions behind it; of probes that are to be
	// enabled, disabled or removed only the number is known, and n is 0. Log gets
	// every write to tracefs. Each may be nil. Warn is called by several goroutines.
	Warn     func(Warning)
	Progress func(doing string, n, all int)
	Log      func(format string, args ...any)
}

// A Warning is something to know that does not end a trace.
type Warning struct {
	Text   string // a sentence, which may have bytes of the kernel's or a file's
	Detail bool   // it matters only to those who want to know all
	More   bool   // these are told more

	BufferKB int // of each CPU, which would help; 0 if none would

	// Interference is what another program has done, which Text tells; nil if it is about
	// something else.
	Interference *tracefs.Interference
}

// A warner passes on warnings. A nil one drops them.
type warner func(Warning)

func (w warner) warn(format string, args ...any) {
	if w != nil {
		w(Warning{Text: fmt.Sprintf(format, args...)})
	}
}

func (w warner) detail(format string, args ...any) {
	if w != nil {
		w(Warning{Text: fmt.Sprintf(format, args...), Detail: true})
	}
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
