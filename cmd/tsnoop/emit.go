package main

import (
	"bufio"

	"github.com/tsnoop/tsnoop/fetchargs"
)

// runEmit prints the definitions, or how each value is fetched, and touches
// nothing. It needs no root: where tracefs cannot be read, what every kernel
// since 5.10 has is assumed.
func runEmit(o *options, ui *ui) error {
	fs, err := openTracefs(o)
	if err != nil {
		if o.tracefs != "" {
			return err
		}
		fs = nil
	}
	target, err := target(o, fs)
	if err != nil {
		return err
	}
	target.Calls = o.explain // it tells of traces, the lines are for others
	plans, err := parseSpecs(o.args, target)
	if err != nil {
		return err
	}
	if !o.explain {
		ui.partial(plans)
	}
	ui.notes(plans)
	ui.leftOut(plans)
	out, err := newOutput(o, ui)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out.file)
	switch {
	case o.explain:
		for _, p := range plans {
			p.Explain(w)
		}
	case o.emit == "shell":
		fetchargs.EmitShell(w, plans, "tsnoop")
	case o.emit == "boot":
		for _, text := range fetchargs.Pasted(plans) {
			ui.warn("%s", text)
		}
		for _, line := range fetchargs.EmitBoot(w, plans, "tsnoop") {
			ui.warn("the command line has no filters; give this one in a bootconfig: %s", line)
		}
	default:
		fetchargs.EmitTracefs(w, plans, "tsnoop")
	}
	return firstError(w.Flush(), out.Close())
}
