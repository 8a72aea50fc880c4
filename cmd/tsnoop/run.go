package main

import (
	"context"
	"time"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// runTrace is the pipeline: spec, plan, session, event, call, line.
func runTrace(o *options, ui *ui) (err error) {
	if len(o.args) == 0 {
		return usagef("tsnoop 'ip_rcv(skb->len, dev->name)'; tsnoop help shows more", "which function?")
	}
	if o.emit != "" || o.explain {
		return runEmit(o, ui)
	}
	fs, err := openTracefs(o)
	if err != nil {
		return err
	}
	target, err := target(o, fs)
	if err != nil {
		return err
	}
	target.Live, target.Nonce = true, nonce()
	plans, err := parseSpecs(o.args, target)
	if err != nil {
		return err
	}
	out, err := newOutput(o, ui)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, out.Close()) }()

	signalled, release := onSignal()
	defer release()
	t, err := arm(fs, plans, o, ui)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, t.session.Close()) }()
	defer t.watch()()

	ctx, stop := t.until(signalled, o.duration)
	defer stop()
	printer := newPrinter(t, o, out)
	lost := &losses{ui: ui, out: out, printer: printer}
	defer lost.total(t)
	pairer := calls.NewPairer(t.sides(), calls.Options{Delta: target.Arch.StackDelta, Order: order})
	shown := 0
	show := func(c *calls.Call) bool {
		if !t.matches(c) {
			return true
		}
		out.line(func(dst []byte) []byte { return printer.AppendCall(dst, c) })
		shown++
		return out.ok() && (o.count == 0 || shown < o.count)
	}
	for event, err := range t.read(ctx, o) {
		if err != nil {
			return err
		}
		if event.Lost > 0 {
			lost.add(event)
		}
		for c, ok := pairer.Add(event); ok; c, ok = pairer.Next() {
			if !show(c) {
				return nil
			}
		}
	}
	pairer.Rest(show)
	return nil
}

// newPrinter makes the printer for the trace and writes the header.
func newPrinter(t *trace, o *options, out *output) *render.Printer {
	p := render.NewPrinter(t.sources(), render.Options{
		JSON: o.json, Color: out.color, Verbose: o.verbose,
		Time: o.time, Start: t.start, Clock: t.wallClock(), Symbol: t.symbol, Order: order,
	})
	if out.terminal {
		out.line(p.AppendHeader)
	}
	return p
}

// until ends the trace: at a signal, after the time given, or when the caller
// stops it. What is in the buffers by then is still read.
func (t *trace) until(signalled context.Context, duration time.Duration) (context.Context, func()) {
	read, drained := context.WithCancel(context.Background())
	over, cancel := context.WithCancel(signalled)
	if duration > 0 {
		over, cancel = context.WithTimeout(signalled, duration)
	}
	go func() {
		<-over.Done()
		if err := t.session.Stop(); err != nil {
			t.ui.detail("%v", err)
		}
		drained()
	}()
	return read, cancel
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
