// Package hitcost estimates how much processor time probes take from the tasks that call their
// functions. It measures test probes on this host, and calculates from these what those of a
// plan cost.
package hitcost

import (
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/define"
)

// Costs are what was measured on this host.
type Costs struct {
	traced, skipped rates // of tasks that are traced and, if only some are, of the others
	pids            bool  // only some are
	took            time.Duration
}

// Hits are how often the probes of plans were hit.
type Hits struct {
	plans []*plan.Plan
	hits  map[string]tracefs.Hits // by event
}

// Counted returns the hits that the kernel has counted, of all tasks, whether a filter has kept
// their events or not. It returns nil if there were none; events that the kernel has by itself
// are not counted.
func Counted(s *tracefs.Session, plans []*plan.Plan) (*Hits, error) {
	hits, err := define.Hits(s, plans)
	if err != nil {
		return nil, err
	}
	h := &Hits{hits: hits}
	for _, p := range plans {
		if p.AtFunction() && h.of(p) > 0 {
			h.plans = append(h.plans, p)
		}
	}
	if len(h.plans) == 0 {
		return nil, nil
	}
	return h, nil
}

// of returns how many calls have hit probes of the plan.
func (h *Hits) of(p *plan.Plan) (n uint64) {
	for _, probe := range p.Probes {
		n = max(n, h.hits[probe.Event].Hits)
	}
	return n
}

// call returns what a call costs, in ns.
func (r *rates) call(p *plan.Plan) float64 {
	ns := r.trap
	for _, probe := range plan.Probes([]*plan.Plan{p}) {
		ns += r.probe(probe)
	}
	return ns
}

// sum returns what the hits of a plan have cost, in ns. The trap is left out if another plan has
// probes on the same function.
func (r *rates) sum(h *Hits, p *plan.Plan, trap bool) (ns float64) {
	if trap {
		ns = r.trap * float64(h.of(p))
	}
	for _, probe := range plan.Probes([]*plan.Plan{p}) {
		ns += r.probe(probe) * float64(h.hits[probe.Event].Hits)
	}
	return ns
}
