package specs

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A later holds the specs of a trace that wait until a module is loaded that has what they
// name.
type later struct {
	specs    []*spec.Spec
	reported map[string]string // by text, what was last wrong with a spec after a module was loaded
}

// await shows what the waiting specs name when a module that has it is loaded.
func (r *reloader) await(ctx context.Context, done *sync.WaitGroup, waiting []*spec.Spec) {
	loaded := make(chan struct{}, 1)
	r.t.WhenLoaded(func() {
		select {
		case loaded <- struct{}{}:
		default: // the waiting specs are about to be planned
		}
	})
	r.wait(waiting)
	done.Go(func() {
		r.came(ctx) // one may have been loaded since the plans were made
		for {
			select {
			case <-loaded:
				r.came(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
}

// wait lets specs wait instead of those that waited before. r.mu is held.
func (r *reloader) wait(waiting []*spec.Spec) {
	further := slices.DeleteFunc(slices.Clone(waiting), func(s *spec.Spec) bool {
		return slices.ContainsFunc(r.later.specs, func(o *spec.Spec) bool { return o.Text == s.Text })
	})
	r.later = later{specs: waiting, reported: map[string]string{}}
	if len(further) > 0 {
		r.ui.Warn("waiting for a module that has %s", names(further))
	}
}

// came plans the waiting specs again, since a module was loaded.
func (r *reloader) came(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var armed []*spec.Spec
	still := []*spec.Spec{}
	for _, s := range r.later.specs {
		plans, waiting, err := r.plan([]string{s.Text})
		if err == nil && len(waiting) == 0 {
			err = r.t.Reload(ctx, r.armed, plans)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && len(waiting) == 0:
			r.ui.Notes(plans)
			r.ui.LeftOut(plans)
			armed = append(armed, s)
			continue
		case err != nil && r.later.reported[s.Text] != err.Error():
			r.later.reported[s.Text] = err.Error()
			r.ui.Report(err)
			r.ui.Warn("the trace goes on without %s", names([]*spec.Spec{s}))
		}
		still = append(still, s)
	}
	r.later.specs = still
	if len(armed) == 0 {
		return
	}
	r.ui.Warn("traced from now on: %s", names(armed))
}

// names lists what specs name.
func names(specs []*spec.Spec) string {
	var all []string
	for _, s := range specs {
		all = append(all, s.Named())
	}
	return strings.Join(all, ", ")
}
