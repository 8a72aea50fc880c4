package trace

import (
	"runtime"

	"github.com/tsnoop/tsnoop/fetchargs"
)

// activeBudget is for how many calls at a time the return probes of a run have
// room together. Each costs the kernel some 100 bytes.
const activeBudget = 16384

// chooseMaxActive gives the return probes room for many calls at a time, so that a
// function in which threads wait is not missed. The kernel's own choice is for
// functions that run: two calls on each CPU, but at least 10.
func chooseMaxActive(plans []*fetchargs.Plan) {
	returns := 0
	for _, p := range plans {
		for _, probe := range p.Of(fetchargs.Return) {
			returns += len(probe.Symbols)
		}
	}
	if returns == 0 {
		return
	}
	n := min(activeBudget/returns, fetchargs.MostActive)
	if n <= max(10, 2*runtime.NumCPU()) {
		return
	}
	for _, p := range plans {
		for _, probe := range p.Of(fetchargs.Return) {
			if probe.MaxActive == 0 {
				probe.MaxActive = n
			}
		}
	}
}
