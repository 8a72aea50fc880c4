package main

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// arm makes the session, defines the probes and enables them. When anything
// fails nothing is left behind.
func arm(fs *tracefs.FS, plans []*fetchargs.Plan, o *options, ui *ui) (_ *trace, err error) {
	so := tracefs.Options{Clock: "mono", BufferKB: o.bufferKB, CPUs: o.cpus, IgnoreSelf: true, Stacktrace: o.kstack}
	if so.BufferKB == 0 {
		so.BufferKB, so.BufferOrLess = defaultBuffer(), true
	}
	t := &trace{reading: reading{ui: ui, plans: plans, order: order, elsewhere: len(o.cpus) > 0}, clock: unix.CLOCK_MONOTONIC}
	if o.time == render.TimeBoot {
		so.Clock, t.clock = "boot", unix.CLOCK_BOOTTIME
	}
	if err := t.chooseThreads(fs, o, &so); err != nil {
		return nil, err
	}
	if ui.verbose {
		so.Log = ui.detail
	}
	session, err := fs.NewSession(so)
	if err != nil {
		return nil, err
	}
	armed := false
	defer func() {
		if !armed { // an error, or a panic on its way up
			err = errors.Join(err, session.Close())
		}
	}()
	t.session = session
	for _, plan := range plans {
		for _, note := range plan.Notes {
			ui.warn("%s: %s", plan.Spec.Func.Text, note)
		}
	}
	chooseMaxActive(plans)
	if err = t.define(fs); err != nil {
		return nil, err
	}
	if err = t.learnFormats(o.kstack); err != nil {
		return nil, err
	}
	t.symbols = sync.OnceValue(t.loadSymbols)
	t.clockName = so.Clock
	t.start, t.wall = t.now(), t.wallClock()
	if err = t.session.Enable(); err != nil {
		return nil, err
	}
	armed = true
	go t.symbols() // ready, with luck, when the first line needs it
	return t, nil
}

// define writes the probes and their filters. All refusals are shown.
func (t *trace) define(fs *tracefs.FS) error {
	var wrong fetchargs.Errors
	for _, p := range fetchargs.Probes(t.plans) {
		e, err := t.defineProbe(fs, p)
		if err != nil {
			return err
		}
		if e != nil {
			wrong = append(wrong, e)
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	for _, p := range fetchargs.Probes(t.plans) {
		if p.Filter == "" {
			continue
		}
		if err := t.session.SetFilter(p.Event, p.Filter); err != nil {
			return fmt.Errorf("the filter of %s: %w", p.Plan.Spec.Func.Text, err)
		}
	}
	return nil
}

// defineProbe writes one probe. Of several functions of one name some may not
// be traceable; it is refused only if none is.
func (t *trace) defineProbe(fs *tracefs.FS, p *fetchargs.Probe) (first *fetchargs.Error, err error) {
	lines := p.Definitions(t.session.Group())
	refused := 0
	for _, line := range lines {
		err := t.session.Define(line)
		if err == nil {
			continue
		}
		e, ok := refusal(fs, p, line, err)
		if !ok {
			return nil, err
		}
		if refused++; first == nil {
			first = e
		}
	}
	if refused == len(lines) {
		return first, nil
	}
	if refused > 0 {
		t.ui.warn("%s: %d of them cannot be probed", p.Plan.Spec.Func.Text, refused)
	}
	return nil, nil
}
