package losses

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// An Account of the calls that were seen shows how many of the misses that the kernel counts
// belong to the trace. The kernel counts those of all tasks, and some count the values that
// they could not read as misses.
type Account struct {
	decoder func(*plan.Probe) *value.Decoder
	follows bool // the kernel counts faults as misses, and there are or can be probes that can fault
	// faults counts, by function, the values seen so far that the kernel may have
	// counted as misses.
	faults map[string]uint64
	open   map[*plan.Plan]*unreturned
}

// An unreturned counts the calls of a plan whose return was not seen.
type unreturned struct {
	all   uint64
	over  uint64 // those that are shown, and over
	tasks []int  // those that may still go on: their tasks
}

// NewAccount returns an Account of no calls. follows says that the kernel counts
// faults as misses, and that there are or can be probes that can fault.
func NewAccount(follows bool, decoder func(*plan.Probe) *value.Decoder) *Account {
	return &Account{decoder: decoder, follows: follows, faults: map[string]uint64{}, open: map[*plan.Plan]*unreturned{}}
}

// Saw counts the faults that a call of a plan can have had.
func (a *Account) Saw(plan *plan.Plan, c *calls.Call) {
	if c.Begun || !a.follows {
		return
	}
	for _, p := range plan.Probes {
		a.faults[plan.Spec.Func.Text] += a.faulted(p, c.Event(p.Side == dynevent.Return, p.Part))
	}
}

// Unreturned counts a call whose return was not seen, and says whether it is shown. At the
// end of the trace it may still go on.
func (a *Account) Unreturned(plan *plan.Plan, c *calls.Call, shown, atEnd bool) {
	u := a.open[plan]
	if u == nil {
		u = &unreturned{}
		a.open[plan] = u
	}
	switch u.all++; {
	case !shown:
	case atEnd:
		u.tasks = append(u.tasks, c.Entry.TID)
	default:
		u.over++
	}
}

// Missed adds to l the calls of plans that the kernel could not follow, from its counts by
// event. all says that the calls of all tasks are traced, and seen that the calls were
// counted here, which those of a recording are not.
func (a *Account) Missed(l *Losses, hits map[string]tracefs.Hits, plans []*plan.Plan, all, seen bool, w tracefs.Warner) {
	probes := plan.Probes(plans)
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
		if follow[name] && a.follows {
			unsure[name] = max(unsure[name], n) // a fault in one probe is counted for all probes of the function
			continue
		}
		m := Missed{Func: name, Return: p.Side == dynevent.Return, Calls: n, AtMost: !all || p.Filter != ""}
		if m.Return && seen && p.Plan.Paired() && !p.Chooses() {
			m.bound(a.open[p.Plan])
		}
		if m.Calls > 0 {
			l.Missed = append(l.Missed, m)
		}
	}
	// Misses that the calls seen can account for need no warning.
	for name, n := range unsure {
		if n <= a.faults[name] {
			w.Detailf("%s: the kernel counts %d misses, which are values it could not read", name, n)
			continue
		}
		l.UnsureFuncs, l.Unsure = append(l.UnsureFuncs, name), l.Unsure+n-a.faults[name]
	}
	slices.Sort(l.UnsureFuncs)
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

// faulted returns how many fetches of the event can have faulted. It is 0 unless a
// value was read through a bad pointer.
func (a *Account) faulted(p *plan.Probe, e *tracefs.Event) (n uint64) {
	if e == nil || !p.Follows() {
		return 0
	}
	d := a.decoder(p)
	faulted := false
	for i := range p.Fields {
		faulted = faulted || d.Faulted(i, e.Data)
	}
	if !faulted {
		return a.spareFaults(p, e.Data)
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
func (a *Account) spareFaults(p *plan.Probe, data []byte) (n uint64) {
	if p.Spare == nil {
		return 0
	}
	for _, h := range p.Spare.Heads {
		size := uint64(h.Size(p.Spare))
		if addr, ok := a.decoder(p).Pointer(p.TextField(h.Arg), data); !ok || addr%smallestPage+size > smallestPage {
			n += countedTwice * size / 8
		}
	}
	return n
}

// smallestPage is the smallest size of a page.
const smallestPage = 4096
