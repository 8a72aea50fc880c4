package losses

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// InFlight finds the calls that have begun and not ended, for plans that record only
// returns. The kernel does not count them, and to record their entries would cost more
// than what was asked for. But the stacks of tasks that sleep show them, before 5.15 only
// up to the first function whose return is probed.
type InFlight struct {
	tasks   func() []int        // the threads that are traced; nil for all
	names   []string            // functions, as they are shown
	symbols map[string][]string // of each

	any      atomic.Bool // first is not empty
	mu       sync.Mutex
	first    map[string]map[int]int // calls that began before the trace, by function and task
	last     map[string]map[int]int // calls at the end
	returned map[string]bool        // functions of which a call has returned, if first has some
}

// An Unfinished counts the calls of a function that began and did not end, of which
// nothing was recorded.
type Unfinished struct {
	Func    string
	Calls   uint64
	Earlier bool // they began before the trace; reported for functions none of whose calls has returned
}

// NewInFlight looks at the calls that have begun before the trace. tasks returns the
// threads that are traced, nil for all.
func NewInFlight(plans []*plan.Plan, tasks func() []int) *InFlight {
	f := &InFlight{tasks: tasks, symbols: map[string][]string{}, returned: map[string]bool{}}
	for _, p := range plans {
		name := p.Spec.Func.Text
		if p.Renames != "" || p.Entry() != nil || len(p.Conditions()) > 0 || p.Return().ChoosesComm() {
			continue
		}
		if !slices.Contains(f.names, name) {
			f.names = append(f.names, name)
		}
		symbols := []string{p.Func.Name}
		if p.IsSyscall() {
			symbols = p.Return().Symbols
		}
		f.symbols[name] = append(f.symbols[name], symbols...)
	}
	f.first = f.look()
	for _, tasks := range f.first {
		if len(tasks) > 0 {
			f.any.Store(true)
		}
	}
	return f
}

// look returns how many calls of each function each task is in.
func (f *InFlight) look() map[string]map[int]int {
	if len(f.names) == 0 {
		return nil
	}
	var symbols []string
	for _, name := range f.names {
		symbols = append(symbols, f.symbols[name]...)
	}
	in := proc.InFlight(symbols, f.tasks())
	found := map[string]map[int]int{}
	for _, name := range f.names {
		found[name] = map[int]int{}
		for _, symbol := range f.symbols[name] {
			for tid, calls := range in[symbol] {
				found[name][tid] = max(found[name][tid], calls) // two specs may have a symbol
			}
		}
	}
	return found
}

// Saw notes a call of a plan: what its task is in later has begun since.
func (f *InFlight) Saw(plan *plan.Plan, c *calls.Call) {
	if c.Entry != nil || c.Return == nil || !f.any.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.first[plan.Spec.Func.Text], c.Return.TID)
	f.returned[plan.Spec.Func.Text] = true
}

// End notes the calls at the end of the trace.
func (f *InFlight) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = f.look()
}

// AtEnd returns how many calls have begun since the trace has, and had not returned at its
// end. For a function that has not returned at all it also returns how many began earlier.
func (f *InFlight) AtEnd() []Unfinished { return f.unfinished(f.last) }

// Now is AtEnd for a trace that goes on.
func (f *InFlight) Now() []Unfinished { return f.unfinished(f.look()) }

func (f *InFlight) unfinished(now map[string]map[int]int) (all []Unfinished) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.names {
		n, earlier := 0, 0
		for tid, calls := range now[name] {
			n += max(0, calls-f.first[name][tid])
			earlier += min(calls, f.first[name][tid])
		}
		if n > 0 {
			all = append(all, Unfinished{name, uint64(n), false})
		}
		if earlier > 0 && !f.returned[name] {
			all = append(all, Unfinished{name, uint64(earlier), true})
		}
	}
	return all
}
