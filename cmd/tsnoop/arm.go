package main

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/sys/unix"
)

// errInterrupted says that the user ended the trace before it began.
var errInterrupted = errors.New("ended while arming")

// arm makes the session, defines the probes and enables them. When anything
// fails, or ctx is done before all is armed, nothing is left behind.
func arm(ctx context.Context, m *trace.Machine, plans []*fetchargs.Plan, o *options, ui *ui) (_ *liveTrace, err error) {
	so := tracefs.Options{Clock: "mono", BufferKB: o.bufferKB, CPUs: o.cpus, IgnoreSelf: true, Stacktrace: o.kstack}
	// A call that begins on one of the CPUs may end on another, and one that begins
	// on another may end here.
	so.AllCPUs = slices.ContainsFunc(plans, (*fetchargs.Plan).Paired)
	if so.BufferKB == 0 {
		so.BufferKB, so.BufferOrLess = defaultBuffer(), true
	}
	fs := m.FS
	t := &liveTrace{machine: m, reading: reading{ui: ui, plans: plans, order: order, cpus: o.cpus}, clock: unix.CLOCK_MONOTONIC}
	if o.time == render.TimeBoot {
		so.Clock, t.clock = "boot", unix.CLOCK_BOOTTIME
	}
	if err := t.chooseThreads(fs, o, &so); err != nil {
		return nil, err
	}
	if ui.verbose {
		so.Log = ui.detail
	}
	t.progress = newProgress(ui)
	defer t.progress.end()
	so.Progress = t.progress.session
	session, err := fs.NewSession(so)
	if err != nil {
		return nil, err
	}
	t.session = session
	armed := false
	defer func() {
		if !armed { // an error, or a panic on its way up
			if failed := t.close(); failed != nil {
				err = errors.Join(err, failed)
			}
		}
	}()
	ui.notes(plans)
	chooseMaxActive(plans)
	if err = t.define(ctx, m); err != nil {
		return nil, err
	}
	ui.leftOut(t.plans)
	if err = t.learnFormats(o.kstack); err != nil {
		return nil, err
	}
	t.symbols = sync.OnceValue(t.loadSymbols)
	t.clockName = so.Clock
	t.start, t.wall = t.now(), t.wallClock()
	if err = t.session.Enable(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	armed = true
	go t.symbols() // ready, with luck, when the first line needs it
	return t, nil
}

// close undoes all that arm has done.
func (t *liveTrace) close() error {
	defer t.progress.end()
	return t.session.Close()
}
