package main

import (
	"context"
	"errors"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// runTrace is the pipeline: spec, plan, trace, call, line.

// runTrace is the pipeline: spec, plan, trace, call, line.
func runTrace(o *options, ui *ui) (err error) {
	if o.isQuestion() {
		return runFirst(o, ui)
	}
	if len(o.args) == 0 {
		return usagef("tsnoop 'ip_rcv(skb->len, dev->name)'; tsnoop help shows more", "which function?")
	}
	if o.emit != "" || o.explain {
		return runEmit(o, ui)
	}
	sums := newSumming(o)
	m, plans, err := planSlowly(o, ui, true)
	if err != nil {
		return err
	}
	program, err := hold(o, ui)
	if err != nil {
		return err
	}
	defer func() { err = program.end(err) }()
	out, err := newOutput(o, ui)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, out.Close()) }()

	tell := func(w trace.Warning) {
		ui.tell(w)
		out.told(w)
	}
	return follow(m, plans, program, o, ui, tell, func(ctx context.Context, t *trace.Trace, stop func()) error {
		sums.live(t.Now, stop)
		out.total.live(t.Now)
		defer func() { out.losses(t.Losses(), o, ui) }()
		unwatch, err := o.watchSpecs(ctx, t, ui)
		if err != nil {
			return err
		}
		defer unwatch()
		defer whyQuiet(t, quietAfter, ui)()
		return show(&t.Reading, t.Calls(ctx), o, out, sums)
	})
}

// follow arms a trace, lets the program run and calls do with the trace, a context that
// is done when the trace should end, and a function that ends it. Afterwards it undoes
// everything.
func follow(m *trace.Machine, plans []*fetchargs.Plan, program *program, o *options, ui *ui, tell func(trace.Warning),
	do func(ctx context.Context, t *trace.Trace, stop func()) error) (err error) {
	signalled, release := onSignal()
	defer release()
	trace.Notes(plans, ui.verbose, ui.tell)
	if len(o.btf) > 0 {
		if err := btf.Open(o.btf...).CheckRunning(); err != nil {
			ui.warn("%v: values may be wrong", err)
		}
	}
	progress := newProgress(ui)
	to := o.traceOptions(ui, progress)
	to.Warn = tell
	t, err := m.Arm(signalled, plans, to)
	progress.end()
	if errors.Is(err, trace.ErrInterrupted) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() {
		err = firstError(err, t.Close())
		progress.end()
	}()
	trace.LeftOut(t.Plans(), ui.verbose, ui.tell)

	ctx, err := program.run(signalled)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.duration > 0 {
		ctx, stop = context.WithTimeout(ctx, o.duration)
		defer stop()
	}
	if o.command.name == "trace" { // a recording is not shown, and must be completed
		defer insist(signalled, t, ui)()
	}
	return do(ctx, t, stop)
}

// traceOptions says what to trace.
func (o *options) traceOptions(ui *ui, p *progress) trace.Options {
	to := o.trace
	to.Text, to.Rearm, to.MaxRate = o.reader == "text", o.guard == "rearm", o.rate()
	to.Wait, to.Chain, to.Begin = o.plan.Wait, o.plan.Chain, o.begins()
	to.Progress = p.step
	if o.show.Time == render.TimeBoot {
		to.Clock = "boot"
	}
	if ui.verbose {
		to.Log = ui.detail
	}
	return to
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
