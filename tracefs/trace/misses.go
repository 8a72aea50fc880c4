package trace

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// missed adds the calls that the kernel could not follow.
func (t *Trace) missed(l *Losses) {
	hits, err := define.Hits(t.session, t.plansNow())
	if err != nil {
		t.warner.Detailf("%v", err)
	}
	probes := plan.Probes(t.plans)
	follow := map[string]bool{} // functions with a probe that can fault
	for _, p := range probes {
		follow[p.Plan.Spec.Func.Text] = follow[p.Plan.Spec.Func.Text] || p.Follows()
	}
	unsure := map[string]uint64{}
	for _, p := range probes {
		name, n := p.Plan.Spec.Func.Text, hits[p.Event].Misses
		if n == 0 || p.Part > 0 || p.SpareOf != nil || p.Plan.Renames != "" { // the probes of one place are missed together
			continue
		}
		if follow[name] && t.machine.CountsFaults() {
			unsure[name] = max(unsure[name], n) // a fault in one probe is counted for all probes of the function
			continue
		}
		m := Missed{Func: name, Return: p.Side == dynevent.Return, Calls: n, AtMost: t.pids || p.Filter != ""}
		if m.Return && !t.recording.Load() && p.Plan.Paired() && !p.Chooses() {
			m.bound(t.open[p.Plan])
		}
		if m.Calls > 0 {
			l.Missed = append(l.Missed, m)
		}
	}
	// Misses that the calls seen can account for are no reason to worry.
	for name, n := range unsure {
		if n <= t.faults[name] {
			t.warner.Detailf("%s: the kernel counts %d misses, which are values it could not read", name, n)
			continue
		}
		l.UnsureFuncs, l.Unsure = append(l.UnsureFuncs, name), l.Unsure+n-t.faults[name]
	}
	slices.Sort(l.UnsureFuncs)
}

// An unreturned counts the calls of a plan whose return was not seen.
type unreturned struct {
	all   uint64
	over  uint64 // those that are shown, and over
	tasks []int  // those that may still go on: their tasks
}

// unreturned notes a call whose return was not seen. At the end of the trace it may still
// go on.
func (r *Reading) unreturned(c *calls.Call, shown, atEnd bool) {
	u := r.open[r.plans[c.Plan]]
	if u == nil {
		if r.open == nil {
			r.open = map[*plan.Plan]*unreturned{}
		}
		u = &unreturned{}
		r.open[r.plans[c.Plan]] = u
	}
	switch u.all++; {
	case !shown:
	case atEnd:
		u.tasks = append(u.tasks, c.Entry.TID)
	default:
		u.over++
	}
}

// bound limits m, which the kernel has counted of all tasks and calls, to calls that were
// traced: those whose return was not seen.
func (m *Missed) bound(u *unreturned) {
	if u == nil {
		m.Calls = 0
		return
	}
	over := u.over
	for _, tid := range u.tasks {
		if !proc.Lives(tid) {
			over++
		}
	}
	m.Calls = min(m.Calls, u.all)
	m.AtMost = over < m.Calls
}

// accounting returns a function that counts the faults that the calls seen can have
// had, if the kernel counts faults as misses, and looks which calls have returned. It
// returns nil if neither is needed.
func (t *Trace) accounting() func(*calls.Call) {
	follows := t.replanning != nil || slices.ContainsFunc(plan.Probes(t.plans), (*plan.Probe).Follows)
	follows = follows && t.machine.CountsFaults()
	if !follows && len(t.inFlight.names) == 0 {
		return nil
	}
	if follows {
		t.faults = map[string]uint64{}
	}
	return func(c *calls.Call) {
		t.inFlight.saw(t.plans[c.Plan], c)
		if follows && !c.Begun {
			plan := t.plans[c.Plan]
			for _, p := range plan.Probes {
				t.faults[plan.Spec.Func.Text] += t.faulted(p, c.Event(p.Side == dynevent.Return, p.Part))
			}
		}
	}
}

// faulted returns how many fetches of the event can have faulted. It is 0 unless a
// value was read through a bad pointer.
func (r *Reading) faulted(p *plan.Probe, e *tracefs.Event) (n uint64) {
	if e == nil || !p.Follows() {
		return 0
	}
	d := r.decoder[p]
	faulted := false
	for i := range p.Fields {
		faulted = faulted || d.Faulted(i, e.Data)
	}
	if !faulted {
		return r.spareFaults(p, e.Data)
	}
	for _, at := range p.WithSpare() { // the spare reads the same
		for i := range at.Args {
			if at.Args[i].CanFault() {
				n += countedTwice * uint64(max(at.Args[i].Count, 1)) // each element is counted separately
			}
		}
	}
	return n * uint64(p.Times())
}

// countedTwice is how often 5.10 was seen to count each fault.
const countedTwice = 2

// spareFaults returns how many fetches of the spare of p, if it has one, can have faulted
// though those of p have not: it also reads what follows a text that ends before.
func (r *Reading) spareFaults(p *plan.Probe, data []byte) (n uint64) {
	if p.Spare == nil {
		return 0
	}
	for _, h := range p.Spare.Heads {
		size := uint64(h.Size(p.Spare))
		if addr, ok := r.decoder[p].Pointer(p.TextField(h.Arg), data); !ok || addr%smallestPage+size > smallestPage {
			n += countedTwice * size / 8
		}
	}
	return n
}

// smallestPage is the smallest size of a page.
const smallestPage = 4096
