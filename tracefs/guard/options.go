package guard

import (
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Options says what to guard.
type Options struct {
	Session  *tracefs.Session
	Formats  []*tracefs.Format     // of its events when the trace starts
	Plans    func() []*plan.Plan   // those that are defined now
	Family   func() ([]int, error) // threads to be traced; nil for all
	Stacks   bool                  // the kernel also records stacks
	NewTasks bool                  // and new tasks
	Warner   tracefs.Warner

	Restore bool // undo what other programs change; otherwise only warn
	MaxRate int  // events a second allowed for one probe; 0 for no limit

	Recording func() bool                    // reports whether raw pages are being recorded
	Breaks    func(goesOn bool)              // is called when events may have been missed up to now, and may be from now on
	Tampered  func()                         // is called when another program has interfered
	SwitchOff func(plans []*plan.Plan) error // disables the probes of plans
	Spend     func()                         // is called when all are disabled
}
