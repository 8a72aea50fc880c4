package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// tracedatFirst begins every trace.dat file, even one that is cut behind it.
const tracedatFirst = 0x17

// isText tells text from a trace.dat file, without taking anything.
func isText(in *bufio.Reader) bool {
	head, _ := in.Peek(512)
	return len(head) > 0 && head[0] != tracedatFirst && bytes.IndexByte(head, 0) < 0
}

// showText shows what somebody has copied out of trace or trace_pipe after the lines of
// the specs were given to a machine.
func showText(r io.Reader, name string, o *options, ui *ui) (err error) {
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
	if err := o.checkPlans(plans); err != nil {
		return err
	}
	ui.leftOut(plans)
	t, err := trace.OpenText(r, plans, trace.TextOptions{Name: name, Begin: o.begins(), Chain: o.chain, Warn: ui.tell})
	if err != nil {
		return err
	}
	defer t.Close()
	out, err := newOutput(o, ui)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, out.Close()) }()
	sums := newSumming(o)
	lost := newLosses(o, ui, out, newSink(&t.Reading, o, out))
	if err := show(&t.Reading, t.Calls(context.Background()), o, out, lost, sums); err != nil {
		return err
	}
	lost.recorded(t.Losses())
	if err := t.Damage(); err != nil {
		return fmt.Errorf("%s: %w; what could be read is shown", name, err)
	}
	return nil
}
