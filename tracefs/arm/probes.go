// Package arm has the probes of plans in a running kernel: it refuses functions that are
// called too often, defines the others, learns how the kernel lays out their records,
// enables and disables them so that no call is shown by half, replaces them while the trace
// runs, and follows the modules that their functions are in. The session undoes all of it.
package arm

import (
	"context"
	"errors"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/witness"
)

// Probes are the probes of plans in a session.
type Probes struct {
	Host    *host.Host
	Session *tracefs.Session
	Stream  *stream.Stream // of their events
	Traced  func() []int   // the threads that are traced; nil for all
	Definer define.Definer
	Log     func(string, ...any) // receives every write for a witness; may be nil

	witness *witness.Witness // nil if no plan needs it
}

// ErrWitness is wrapped by the error of Define if plans need a witness that is not to be had.
var ErrWitness = witness.ErrUnavailable

// Define defines the probes of plans, whose events are off. It returns the plans that the
// kernel has accepted.
func (a *Probes) Define(ctx context.Context, plans []*plan.Plan) (_ []*plan.Plan, err error) {
	define.ChooseMaxActive(plans)
	if a.witness == nil {
		if a.witness, err = witness.Open(a.Host.FS, plans, a.Host.WitnessPlace, a.Log); err != nil {
			return nil, err
		}
	}
	return a.Definer.Define(ctx, plans)
}

// Close undoes everything.
func (a *Probes) Close() error {
	return errors.Join(InUse(a.Session, a.Session.Close()), a.witness.Close())
}

// eventsOf returns the names of the events of some plans, in the order of definition.
func eventsOf(plans ...*plan.Plan) []string {
	var events []string
	for _, p := range plan.Probes(plans) {
		events = append(events, p.KernelEvent())
	}
	return events
}
