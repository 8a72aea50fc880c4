package call

import "github.com/tsnoop/tsnoop/tracefs"

// A Loss is something that the trace does not show. Its kind decides which fields it has.
type Loss struct {
	Trace *Trace
	Kind  LossKind
	Func  string // as it was asked for
	Time  uint64 // ns on the trace clock
	CPU   int

	Count  uint64
	Known  bool // Count is; otherwise it was not counted
	AtMost bool // Count is an upper bound

	SwitchedOff  *tracefs.SwitchOff    // for the kind SwitchedOff
	Interference *tracefs.Interference // for the kind Interfered
}

// A LossKind says what was lost.
type LossKind uint8

const (
	LostHere        LossKind = iota // events before Time on CPU
	LostTotal                       // events of all CPUs during the whole trace, with those of LostHere
	MissedCalls                     // calls of Func for which the probe could not run
	MissedReturns                   // returns of Func for which the probe could not run
	UnfinishedCalls                 // calls of Func that did not return; calls of which only returns are recorded
	EarlierCalls                    // the same, which began before the trace
	SwitchedOff                     // later calls of Func, which were too many
	Interfered                      // what another program did to the trace
)
