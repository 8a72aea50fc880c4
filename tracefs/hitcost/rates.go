package hitcost

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

// rates are what parts of a hit cost, in ns.
type rates struct {
	trap  float64 // to get from the function to its probes and back, once for all of them
	entry float64 // an event at the entry, without values
	back  float64 // the same at the return, with the way there
	value float64 // a value of a register, or one that was read
	read  float64 // a read of memory, in addition
	text  float64 // a short text that is read, in addition to its value
}

// added returns how many ns longer a call took at each stage than without probes. While a stage
// was measured the host may have been slower than in others, for both system calls.
func added(calls [len(stages)]took) (costs [len(stages)]float64) {
	var plain []float64
	for _, c := range calls {
		plain = append(plain, c.without)
	}
	slices.Sort(plain)
	for i, c := range calls {
		costs[i] = (c.probed/c.without - 1) * plain[len(plain)/2]
	}
	return costs
}

// ratesOf calculates rates from what a call took longer at each stage than without probes.
func ratesOf(costs [len(stages)]float64) rates {
	adds := costs // by the probe of each stage
	for i := range adds {
		if i > 0 {
			adds[i] -= costs[i-1]
		}
		adds[i] = max(0, adds[i])
	}
	each := func(stage int) float64 {
		return max(0, adds[stage]-adds[further]) / float64(stages[stage].n)
	}
	r := rates{trap: max(0, adds[first]-adds[further]), entry: adds[further], back: adds[returns], value: each(values)}
	r.read, r.text = max(0, each(reads)-r.value)/readsEach, max(0, each(texts)-r.value)
	return r
}

// probe returns what a hit of p costs, without the trap.
func (r *rates) probe(p *plan.Probe) float64 {
	ns := r.entry
	if p.Side == dynevent.Return {
		ns = r.back
	}
	for i := range p.Args {
		ns += r.arg(p.Args[i])
	}
	return ns * float64(p.Times())
}

// arg returns what a fetcharg costs. The kernel follows the pointers once for all elements
// of an array.
func (r *rates) arg(a dynevent.Arg) float64 {
	a = a.Lowered()
	reads := len(a.Hops)
	if a.Base.Kind == dynevent.Memory {
		reads++
	}
	n := float64(max(1, a.Count))
	last := r.read
	if a.IsString() {
		last = r.text
		reads = max(1, reads)
	}
	if reads == 0 {
		return r.value
	}
	return r.value + float64(reads-1)*r.read + n*last
}
