package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/emit"
	"github.com/tsnoop/tsnoop/fetchargs/explain"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
)

// runEmit prints the definitions, or how each value is fetched. It changes nothing, except that
// root has test probes measured for the latter. It does not need root: if tracefs cannot be
// read, it is assumed to offer what every kernel since 5.10 does.
func runEmit(o *flags.Options, ui *terminal.UI) error {
	limitTypes(o.BTF)
	plans, err := target.LinePlans(o, o.Args)
	if err != nil {
		return err
	}
	if !o.Explain {
		for _, name := range plan.Undecided(plans) {
			ui.Warn("%s: the kernel's filter cannot decide all of the condition; --explain shows what is left", name)
		}
	}
	if o.Emit != "" && o.Plan.Chain {
		ui.Warn("these lines record all calls of the functions, also outside of the chain; tsnoop replay - --chain SPEC... shows only the chain in their output")
	}
	ui.Notes(plans)
	ui.LeftOut(plans)
	out, err := output.Create(o)
	if err != nil {
		return err
	}
	scope := emit.Scope{CPUMask: tracefs.CPUMask(o.Trace.CPUs), Pids: o.Trace.Pids, Follow: o.Trace.Follow}
	w := bufio.NewWriter(out)
	switch {
	case o.Explain:
		costs := hitCosts(o, plans, ui)
		for i, p := range plans {
			explain.Write(w, p)
			if i < len(costs) && costs[i] != "" {
				fmt.Fprintf(w, "  cost: %s\n", costs[i])
			}
		}
	case o.Emit == "shell":
		emit.Shell(w, plans, "tsnoop", scope)
	case o.Emit == "boot":
		for _, text := range emit.Pasted(plans) {
			ui.Warn("%s", text)
		}
		bootconfig, err := emit.Boot(w, plans, "tsnoop", scope.CPUMask)
		if err != nil {
			return errors.Join(err, out.Close())
		}
		if bootconfig {
			ui.Warn("the kernel's command line has no place for filters and masks of CPUs, so this is a bootconfig: add it to the initrd (bootconfig -a FILE INITRD) and the word bootconfig to the command line; the kernel needs CONFIG_BOOTTIME_TRACING")
		}
	default:
		emit.Tracefs(w, plans, "tsnoop", scope)
	}
	return cmp.Or(w.Flush(), out.Close())
}
