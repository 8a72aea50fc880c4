package trace

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/machine"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// A replanning is what a trace keeps for Replan. Replan and the reading of calls run in
// two goroutines: the reader takes in plans that Replan has added at the first record
// that it does not know.
type replanning struct {
	on, off map[string][]*plan.Plan // by the text of their spec: plans that are recorded, and plans that are switched off
	taken   []string                // names of events
	renames bool                    // there is a plan of fetchargs.Renames

	machine *machine.Machine // to plan for
	modules []string         // modules that are loaded in machine
	kernel  *btf.Kernel

	// traceable is Machine.fs.TraceableFunctions, called once, since it takes long.
	traceable func() func(module, name string) bool

	some    atomic.Bool // waiting is not empty
	mu      sync.Mutex  // guards waiting
	waiting []armed
}

// An armed holds plans whose events may come from now on.
type armed struct {
	plans   []*plan.Plan
	layouts []amend.Layout
}

func newReplanning(m *machine.Machine) *replanning {
	r := &replanning{on: map[string][]*plan.Plan{}, off: map[string][]*plan.Plan{}}
	r.know(m, proc.ModuleNames())
	go r.kernel.HasFunc("schedule") // so that its types are probably there when the first edit comes
	return r
}

// note records plans that are defined, in r.on or r.off.
func (r *replanning) note(plans []*plan.Plan, in map[string][]*plan.Plan) {
	for _, p := range plans {
		if r.taken = append(r.taken, eventsOf(p)...); p.Renames != "" {
			r.renames = true
			continue
		}
		in[p.Spec.Text] = append(in[p.Spec.Text], p)
	}
}

// eventsOf returns the names of the events of some plans, in the order of definition.
func eventsOf(plans ...*plan.Plan) []string {
	var events []string
	for _, p := range plan.Probes(plans) {
		events = append(events, p.Event)
	}
	return events
}

// PlanFurther plans those of the specs that the trace has no plans for yet; it plans a
// repeated spec once. Errors are those of [Machine.Plan].
func (t *Trace) PlanFurther(specs []string, o machine.PlanOptions) ([]*plan.Plan, error) {
	var further []string
	for _, text := range specs {
		if t.replanning.on[text] == nil && t.replanning.off[text] == nil && !slices.Contains(further, text) {
			further = append(further, text)
		}
	}
	if len(further) == 0 {
		return nil, nil
	}
	m := t.replanning.today()
	o.Taken, o.Traceable = t.replanning.taken, t.replanning.traceable
	if o.Kernel == nil {
		o.Kernel = t.replanning.kernel
	}
	return m.Plan(further, o)
}

// today returns the machine with the modules that are loaded now.
func (r *replanning) today() *machine.Machine {
	if now := proc.ModuleNames(); !slices.Equal(now, r.modules) {
		r.know(machine.New(r.machine.FS), now)
	}
	return r.machine
}

// know starts over with a machine that has these modules. Each thing is read from it
// once.
func (r *replanning) know(m *machine.Machine, modules []string) {
	r.machine, r.modules, r.kernel = m, modules, btf.Running()
	r.traceable = sync.OnceValue(m.FS.TraceableFunctions)
}

// Replan makes a running trace show the calls of these specs and no others. further is
// what PlanFurther has returned for them. Replan does not touch the probes of specs
// that stay. It defines and enables the new probes, and only then disables those that
// are no longer wanted, so for a moment both forms of a changed spec may be shown.
// Close removes the disabled probes: to remove an event that was enabled empties the
// buffers.
//
// If Replan returns an error, the trace goes on as it was; the kernel's refusals are
// returned as a spec.Errors. Replan needs Options.Replan. It must be called from one
// goroutine, which need not be the one that reads the calls, and must have returned
// before Losses and Close are called.
func (t *Trace) Replan(ctx context.Context, specs []string, further []*plan.Plan) error {
	t.noCalls.End() // it knows only the first plans
	r := t.replanning
	further = slices.DeleteFunc(slices.Clone(further), func(p *plan.Plan) bool { return p.Renames != "" && r.renames })
	if err := t.addPlans(ctx, further); err != nil {
		return err
	}
	var again, gone []*plan.Plan
	for _, p := range further {
		if p.Renames != "" {
			again = append(again, p)
		}
	}
	for _, text := range specs {
		again = append(again, r.off[text]...)
	}
	if err := t.switchOn(again); err != nil {
		return err
	}
	for _, text := range specs {
		if plans := r.off[text]; plans != nil {
			r.on[text] = plans
			delete(r.off, text)
		}
	}
	for text, plans := range r.on {
		if !slices.Contains(specs, text) {
			gone = append(gone, plans...)
			r.off[text] = plans
			delete(r.on, text)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return t.switchOff(gone)
}

// addPlans defines further plans, whose events are off. If the kernel refuses one, none
// is added.
func (t *Trace) addPlans(ctx context.Context, plans []*plan.Plan) (err error) {
	if len(plans) == 0 {
		return nil
	}
	defer func() {
		if err == nil {
			return
		}
		for _, event := range eventsOf(plans...) {
			err = errors.Join(err, t.session.Remove(event))
		}
	}()
	define.ChooseMaxActive(plans)
	kept, err := t.definer.Define(ctx, plans)
	if err != nil {
		return err
	}
	all, err := t.formatsOf(kept)
	if err != nil {
		return err
	}
	t.modules.add(kept)
	t.Spans.Await(kept)
	t.guard.WatchFurther(eventsOf(kept...))
	t.replanning.note(kept, t.replanning.off)
	t.replanning.hand(armed{kept, all})
	return nil
}

// hand passes plans to the reader.
func (r *replanning) hand(a armed) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, a)
	r.some.Store(true)
}

// plansNow returns the plans. It may be called from any goroutine.
func (t *Trace) plansNow() []*plan.Plan {
	t.plansMu.Lock()
	defer t.plansMu.Unlock()
	return t.Plans
}

// further returns the function that a reader calls for more formats.
func (t *Trace) further() func() []*tracefs.Format {
	if t.replanning == nil {
		return nil
	}
	return t.takeFurther
}

// takeFurther takes in the plans that were armed meanwhile and returns the formats of
// their events.
func (t *Trace) takeFurther() (formats []*tracefs.Format) {
	r := t.replanning
	if r == nil || !r.some.Load() {
		return nil
	}
	r.mu.Lock()
	waiting := r.waiting
	r.waiting = nil
	r.some.Store(false)
	r.mu.Unlock()

	t.plansMu.Lock()
	for _, a := range waiting {
		formats = append(formats, t.Grow(a.plans, a.layouts)...)
	}
	t.plansMu.Unlock()
	if t.Further != nil {
		t.Further()
	}
	return formats
}
