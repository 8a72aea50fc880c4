package main

import (
	"context"

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

	t, err := arm(fs, plans, o, ui)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, t.close()) }()

	ctx, stop := t.until(o)
	defer stop()
	printer := newPrinter(t, o, out)
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
	for event, err := range t.read(ctx) {
		if err != nil {
			return err
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

// until ends the trace: after the time given, at a signal, or when the caller
// stops it. What is in the buffers by then is still read.
func (t *trace) until(o *options) (context.Context, func()) {
	read, drained := context.WithCancel(context.Background())
	signalled, release := onSignal()
	if o.duration > 0 {
		var cancel func()
		signalled, cancel = context.WithTimeout(signalled, o.duration)
		release = both(cancel, release)
	}
	go func() {
		<-signalled.Done()
		if err := t.session.Stop(); err != nil {
			t.ui.detail("%v", err)
		}
		drained()
	}()
	return read, both(release, drained)
}

func both(f, g func()) func() { return func() { f(); g() } }

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
