package arm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// A Reloader replaces the plans of a trace while it runs. Reload and the reading of calls
// run in two goroutines: the reader Takes in plans that Reload has added at the first
// record that it does not know. A nil one has none.
type Reloader struct {
	probes  *Probes
	known   *Modules
	added   func(events []string)   // is called before events are enabled
	on, off map[string][]*plan.Plan // by the text of their spec: plans that are recorded, and plans that are switched off
	taken   []string                // names of events
	renames bool                    // there is a plan of fetchargs.Renames

	host    *host.Host // to plan for
	modules []string   // modules that are loaded in machine
	kernel  *btf.Kernel

	some    atomic.Bool // waiting is not empty
	mu      sync.Mutex  // guards waiting
	waiting []Armed
}

// An Armed holds plans whose events may come from now on.
type Armed struct {
	Plans   []*plan.Plan
	Layouts []amend.Layout
}

// NewReloader returns a Reloader for a trace with these probes, of plans in modules that
// are known. added is called with events that are defined, before they are enabled.
func NewReloader(a *Probes, plans []*plan.Plan, known *Modules, added func(events []string)) *Reloader {
	r := &Reloader{probes: a, known: known, added: added, on: map[string][]*plan.Plan{}, off: map[string][]*plan.Plan{}}
	r.note(plans, r.on)
	r.know(a.Host, proc.ModuleNames())
	go r.kernel.HasFunc("schedule") // so that its types are probably there when the first edit comes
	return r
}

// note records plans that are defined, in r.on or r.off.
func (r *Reloader) note(plans []*plan.Plan, in map[string][]*plan.Plan) {
	for _, p := range plans {
		if r.taken = append(r.taken, eventsOf(p)...); p.Renames != "" {
			r.renames = true
			continue
		}
		in[p.UserText()] = append(in[p.UserText()], p)
	}
}

// Plan plans those of the specs that the trace has no plans for yet; it plans a
// repeated spec once. Errors are those of [Host.Plan].
func (r *Reloader) Plan(specs []string, o host.PlanOptions) ([]*plan.Plan, error) {
	var further []string
	for _, text := range specs {
		if r.on[text] == nil && r.off[text] == nil && !slices.Contains(further, text) {
			further = append(further, text)
		}
	}
	if len(further) == 0 {
		return nil, nil
	}
	h := r.today()
	o.Taken = r.taken
	if o.Kernel == nil {
		o.Kernel = r.kernel
	}
	return h.Plan(further, o)
}

// today returns the machine with the modules that are loaded now.
func (r *Reloader) today() *host.Host {
	if now := proc.ModuleNames(); !slices.Equal(now, r.modules) {
		r.know(host.New(r.host.FS), now)
	}
	return r.host
}

// know starts over with a machine that has these modules. Each thing is read from it
// once.
func (r *Reloader) know(h *host.Host, modules []string) {
	r.host, r.modules, r.kernel = h, modules, btf.Running()
}

// Reload makes a running trace show the calls of these specs and no others. further is
// what Plan has returned for them. Reload does not touch the probes of specs
// that stay. It defines and enables the new probes, and only then disables those that
// are no longer wanted, so for a moment both forms of a changed spec may be shown.
// Close removes the disabled probes: to remove an event that was enabled empties the
// buffers.
//
// If Reload returns an error, the trace goes on as it was; the kernel's refusals are
// returned as a spec.Errors.
func (r *Reloader) Reload(ctx context.Context, specs []string, further []*plan.Plan) error {
	further = slices.DeleteFunc(slices.Clone(further), func(p *plan.Plan) bool { return p.Renames != "" && r.renames })
	if err := r.add(ctx, further); err != nil {
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
	if err := r.probes.SwitchOn(again); err != nil {
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
	return r.probes.SwitchOff(gone)
}

// add defines further plans, whose events are off. If the kernel refuses one, none
// is added.
func (r *Reloader) add(ctx context.Context, plans []*plan.Plan) (err error) {
	if len(plans) == 0 {
		return nil
	}
	defer func() {
		if err == nil {
			return
		}
		for _, event := range eventsOf(plans...) {
			err = errors.Join(err, r.probes.Session.Remove(event))
		}
	}()
	kept, err := r.probes.Define(ctx, plans)
	if err != nil {
		return err
	}
	all, err := r.probes.Layouts(kept)
	if err != nil {
		return err
	}
	r.known.add(kept)
	r.probes.Stream.Spans.Await(kept)
	r.added(eventsOf(kept...))
	r.note(kept, r.off)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waiting = append(r.waiting, Armed{kept, all})
	r.some.Store(true)
	return nil
}

// Take returns what was added since it was called last. The reader calls it.
func (r *Reloader) Take() (all []Armed) {
	if r == nil || !r.some.Load() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all, r.waiting = r.waiting, nil
	r.some.Store(false)
	return all
}
