package main

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// totalMissed says which calls the kernel could not follow.
func (l *losses) totalMissed(t *liveTrace) {
	hits, err := t.session.Profile()
	if err != nil {
		l.ui.detail("%v", err)
	}
	probes := fetchargs.Probes(t.plans)
	follow := map[string]bool{} // the functions that have a probe which can fault
	for _, p := range probes {
		follow[p.Plan.Spec.Func.Text] = follow[p.Plan.Spec.Func.Text] || p.Follows()
	}
	unsure := map[string]uint64{}
	for _, p := range probes {
		name, n := p.Plan.Spec.Func.Text, hits[p.Event].Misses
		if n == 0 {
			continue
		}
		if follow[name] && countsFaults() {
			unsure[name] = max(unsure[name], n) // a fault of one probe is counted for all of the function
			continue
		}
		what := "calls"
		if p.Return {
			what = "returns"
		}
		l.ui.warn("%d %s of %s were missed: the kernel could not run the probe", n, what, name)
		l.data(func(dst []byte) []byte { return l.sink.Missed(dst, name, p.Return, n) })
	}
	l.tellUnsure(unsure)
}

// tellUnsure says how many calls may have been missed where the kernel counts
// values that it could not read as well. There is no figure for the data. What
// the calls that were seen can account for is no reason to worry.
func (l *losses) tellUnsure(unsure map[string]uint64) {
	var names []string
	var all uint64
	for name, n := range unsure {
		if n <= l.faults[name] {
			l.ui.detail("%s: the kernel counts %d misses, which are values it could not read", name, n)
			continue
		}
		names, all = append(names, name), all+n-l.faults[name]
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	l.ui.warn("up to %d calls of %s were missed, or had values that could not be read: before 5.14 the kernel does not tell these apart", all, strings.Join(names, ", "))
}

// countsFaults tells whether the kernel counts a fetch that faults as a miss, of
// every probe on the function; there is an event all the same. So did each
// architecture's kprobe_fault_handler, which 5.14 took away together with this
// member (ec6aba3d2be1).
func countsFaults() bool {
	t, err := btf.Running().Type("struct kprobe")
	if err != nil {
		return false
	}
	_, err = btf.Member(t, "fault_handler")
	return err == nil
}

// accounting counts, where misses may be faults, those that the calls can have had.
func (l *losses) accounting(t *liveTrace, next sink) sink {
	follows := slices.ContainsFunc(fetchargs.Probes(t.plans), (*fetchargs.Probe).Follows)
	if !follows || !countsFaults() {
		return next
	}
	l.faults = map[string]uint64{}
	return func(c *calls.Call) bool {
		if !c.Begun {
			plan := t.plans[c.Plan]
			l.faults[plan.Spec.Func.Text] += t.faults(plan.Entry, c.Entry) + t.faults(plan.Return, c.Return)
		}
		return next(c)
	}
}

// faults is how many fetches of the event can have faulted: none unless a value
// was read through a pointer that leads nowhere.
func (r *reading) faults(p *fetchargs.Probe, e *tracefs.Event) (n uint64) {
	if p == nil || e == nil || !p.Follows() {
		return 0
	}
	d := r.decoder[p]
	faulted := false
	for i := range p.Fields {
		faulted = faulted || d.Value(i, e.Data).Kind == value.Fault
	}
	if !faulted {
		return 0
	}
	const times = 2 // that 5.10 has been seen to count each
	for i := range p.Args {
		if p.Args[i].Follows() {
			n += times
		}
	}
	return n
}
