package live

import (
	"context"
	"sync"

	"github.com/tsnoop/tsnoop/tracefs/hitcost"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// A costReport is made at the end of a trace with --verbose. It may be abandoned from another
// goroutine.
type costReport struct {
	ctx      context.Context
	cancel   func()
	underway sync.Mutex
}

func newCostReport() *costReport {
	c := &costReport{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	return c
}

// reportCost prints what the trace has cost those who called the functions.
func (r *Run) reportCost(t *trace.Trace) {
	c := r.cost
	c.underway.Lock()
	defer c.underway.Unlock()
	if !r.ui.Verbose || c.ctx.Err() != nil {
		return
	}
	hits, err := hitcost.Counted(t.Session(), t.Plans)
	if hits == nil && err == nil {
		return
	}
	var costs *hitcost.Costs
	if err == nil {
		costs, err = hitcost.Measure(c.ctx, r.host.FS, len(r.o.Trace.Pids) > 0 || r.program != nil)
	}
	if err != nil {
		r.ui.Detail("the cost of a hit was not measured: %v", err)
		return
	}
	for _, line := range costs.OfHits(hits) {
		r.ui.Detail("%s", line)
	}
}

// abandon ends the measurement, waits until nothing of it is left behind, and lets no other
// begin: the process is about to end.
func (c *costReport) abandon() {
	c.cancel()
	c.underway.Lock()
}
