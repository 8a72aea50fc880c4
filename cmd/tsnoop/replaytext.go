package main

import (
	"io"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// showText shows what somebody has copied out of trace or trace_pipe after the lines of
// the specs were given to a machine.
func showText(r io.Reader, name string, o *options, ui *ui) error {
	specs := o.args[1:]
	switch {
	case len(specs) == 0:
		return usagef("tsnoop replay "+o.args[0]+" SPEC...", "%s is text, which does not say what its events are of: give the specs that --emit was given", name)
	case o.kstack:
		return usagef("", "--kstack needs a trace.dat file: text does not say which event a stack belongs to")
	case o.time == render.TimeClock:
		return usagef("", "%s does not say what time of day it was; --time is rel, delta, boot or none", name)
	}
	plans, err := linePlans(o, specs)
	if err != nil {
		return err
	}
	return showTextOf(r, name, plans, o, ui)
}

// showTextOf shows the events of plans.
func showTextOf(r io.Reader, name string, plans []*fetchargs.Plan, o *options, ui *ui) error {
	if err := o.checkPlans(plans); err != nil {
		return err
	}
	trace.LeftOut(plans, ui.verbose, ui.tell)
	t, err := trace.OpenText(r, plans, trace.TextOptions{Name: name, Begin: o.begins(), Chain: o.chain, Warn: ui.tell})
	if err != nil {
		return err
	}
	defer t.Close()
	return showAll(t, &t.Reading, name, o, ui)
}
