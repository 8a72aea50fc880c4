package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/hitcost"
)

// hitCosts returns in words what a call of the function of each plan costs on this host, as it
// is traced; "" if that is not known: the test probes are kprobes, and say nothing of other
// events. It returns nil if the plans are for another host, have no kprobes, or nothing can be
// traced here. A signal ends the measurement, of which nothing is left behind, and not the
// output.
func hitCosts(o *flags.Options, plans []*plan.Plan, ui *terminal.UI) []string {
	elsewhere := o.Plan.Kernel != nil || o.Plan.Arch != nil || o.Plan.Features != nil
	if elsewhere || os.Geteuid() != 0 || !slices.ContainsFunc(plans, (*plan.Plan).Counted) {
		return nil
	}
	h, traced, err := target.Plans(o, true, nil) // which fetch more than those that are only shown
	if err != nil {
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	costs, err := hitcost.Measure(ctx, h.FS, len(o.Trace.Pids) > 0)
	if err != nil {
		ui.Warn("the cost of a call was not measured: %v", err)
		return nil
	}
	words := make([]string, len(plans))
	for i, p := range plans {
		if i < len(traced) && traced[i].Counted() && traced[i].FuncName() == p.FuncName() {
			words[i] = costs.OfCall(traced[i])
		}
	}
	return words
}
