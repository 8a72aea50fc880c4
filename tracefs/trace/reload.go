package trace

import (
	"context"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// PlanFurther plans those of the specs that the trace has no plans for yet; it plans a
// repeated spec once. Errors are those of [host.Host.Plan].
func (t *Trace) PlanFurther(specs []string, o host.PlanOptions) ([]*plan.Plan, error) {
	return t.reloader.Plan(specs, o)
}

// WhenLoaded has f called when a module was loaded while the calls are read. It must be called
// before Calls, and needs Options.Reload.
func (t *Trace) WhenLoaded(f func()) { t.modules.WhenLoaded(f) }

// Reload makes a running trace show the calls of these specs and no others. further is
// what PlanFurther has returned for them. See [arm.Reloader.Reload]. Reload needs
// Options.Reload. It must be called from one goroutine, which need not be the one that
// reads the calls, and must have returned before Losses and Close are called.
func (t *Trace) Reload(ctx context.Context, specs []string, further []*plan.Plan) error {
	t.noCalls.End() // it knows only the first plans
	return t.reloader.Reload(ctx, specs, further)
}
