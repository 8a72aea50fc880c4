package trace

import (
	"math"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// newOrigin returns the origin of a trace that begins now.
func (t *Trace) newOrigin() *tracefs.Origin {
	o := &tracefs.Origin{
		MachineID: proc.MachineID(), BootID: proc.BootID(), Recorder: t.o.Program, Specs: plan.SpecTexts(t.Plans), Clock: t.o.Clock, Began: t.moment(),
	}
	o.Host, o.Kernel, o.Arch = proc.Host()
	return o
}

// Ended returns the origin of a trace that ends now.
func (t *Trace) Ended() *tracefs.Origin {
	o := *t.Origin
	o.Ended = t.moment()
	return &o
}

// moment returns the time now on both clocks.
func (t *Trace) moment() *tracefs.Moment {
	m := &tracefs.Moment{Trace: t.Now()}
	m.Wall = int64(m.Trace) + t.wallNow()
	if most, synced, ok := proc.ClockError(); ok {
		ns := most.Nanoseconds()
		m.MaxError, m.Synced = &ns, synced
	}
	return m
}

// wallNow returns what to add to the trace clock to get the time since 1970, in ns. A task
// may be interrupted between two looks at clocks, so the quickest of several decides.
func (t *Trace) wallNow() (add int64) {
	least := uint64(math.MaxUint64)
	for range 5 {
		before, wall, after := t.Now(), time.Now().UnixNano(), t.Now()
		if took := after - before; took < least {
			least, add = took, wall-int64(before+took/2)
		}
	}
	return add
}
