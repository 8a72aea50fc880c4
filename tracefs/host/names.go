package host

import (
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/names"
)

// NamesBy returns the plan by which a trace of this host can follow the names of tasks: see
// names.Open. It is nil if names have to be fetched.
func (h *Host) NamesBy() *plan.Plan { return h.swap() }

func (h *Host) planSwap() *plan.Plan {
	if h.FS == nil || h.FS.CheckKprobes() != nil || !names.Offered(h.FS) {
		return nil
	}
	plans, err := h.Plan([]string{names.Swap}, PlanOptions{Lines: true})
	if err != nil || len(plans) != 1 || plans[0].Entry() == nil || len(plans[0].Probes) != 1 {
		return nil // an older kernel, or one without types
	}
	return plans[0]
}
