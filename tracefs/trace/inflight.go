package trace

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// inFlight finds the calls that have begun and not ended, for plans that record only
// returns. The kernel does not count them, and to record their entries would cost more
// than what was asked for. But the stacks of tasks that sleep show them.
type inFlight struct {
	names []string // functions

	any   atomic.Bool // before is not empty
	mu    sync.Mutex
	first map[string]map[int]int // calls that began before the trace, by function and task
	last  map[string]map[int]int // calls at the end
}

// An Unfinished counts the calls of a function that began and did not end, of which
// nothing was recorded.
type Unfinished struct {
	Func  string
	Calls uint64
}

// newInFlight looks at the calls that have begun before the trace.
func (t *Trace) newInFlight() *inFlight {
	f := &inFlight{}
	for _, p := range t.plans {
		if p.Renames == "" && p.Entry() == nil && len(p.Conditions()) == 0 && !slices.Contains(f.names, p.Spec.Func.Text) {
			f.names = append(f.names, p.Spec.Func.Text)
		}
	}
	f.first = f.look(t.traced())
	for _, tasks := range f.first {
		if len(tasks) > 0 {
			f.any.Store(true)
		}
	}
	return f
}

func (f *inFlight) look(tids []int) map[string]map[int]int {
	if len(f.names) == 0 {
		return nil
	}
	return proc.InFlight(f.names, tids)
}

// returned notes a call: what its task is in later has begun since.
func (f *inFlight) returned(plan *fetchargs.Plan, c *calls.Call) {
	if c.Entry != nil || c.Return == nil || !f.any.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.first[plan.Spec.Func.Text], c.Return.TID)
}

// end notes the calls at the end of the trace.
func (f *inFlight) end(tids []int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = f.look(tids)
}

// unfinished returns how many of the calls in now have begun since the trace has.
func (f *inFlight) unfinished(now map[string]map[int]int) (all []Unfinished) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.names {
		n := 0
		for tid, calls := range now[name] {
			n += max(0, calls-f.first[name][tid])
		}
		if n > 0 {
			all = append(all, Unfinished{name, uint64(n)})
		}
	}
	return all
}

// traced returns the threads that are traced, or nil for all.
func (t *Trace) traced() []int {
	if t.guard.family == nil {
		return nil
	}
	tids, err := t.guard.family()
	if err != nil || tids == nil {
		return []int{}
	}
	return tids
}
