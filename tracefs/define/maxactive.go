package define

import (
	"runtime"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
)

// activeBudget is how many calls the return probes of a run can follow at a time, all
// together. Each costs the kernel some 100 bytes.
const activeBudget = 16384

// ChooseMaxActive lets the return probes follow many calls at a time, so that calls of
// a function in which threads wait are not missed. The kernel's default, two calls a
// CPU but at least 10, is meant for functions that do not wait.
func ChooseMaxActive(plans []*plan.Plan) {
	chooseMany(plans)
	returns := 0
	for _, p := range plans {
		for _, probe := range p.Of(dynevent.Return) {
			if probe.Share == nil {
				returns += len(probe.Symbols)
			}
		}
	}
	if returns == 0 {
		return
	}
	n := min(activeBudget/returns, dynevent.MostActive)
	if n <= max(10, 2*runtime.NumCPU()) {
		return
	}
	for _, p := range plans {
		for _, probe := range p.Of(dynevent.Return) {
			if probe.MaxActive == 0 && probe.Share == nil {
				probe.MaxActive = n
			}
		}
	}
}
