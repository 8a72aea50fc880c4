package trace

import (
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
	m.Wall = int64(m.Trace) + proc.WallOffset(t.Now)
	if most, synced, ok := proc.ClockError(); ok {
		ns := most.Nanoseconds()
		m.MaxError, m.Synced = &ns, synced
	}
	return m
}
