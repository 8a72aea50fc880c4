package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// runTrace is the pipeline: spec, plan, trace, call, line.
func runTrace(o *flags.Options, ui *ui) (err error) {
	if isQuestion(o) {
		return runFirst(o, ui)
	}
	if len(o.Args) == 0 {
		return flags.Errorf("tsnoop 'ip_rcv(skb->len, dev->name)'; tsnoop help shows more", "which function?")
	}
	if o.Emit != "" || o.Explain {
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
	defer func() { err = cmp.Or(err, out.Close()) }()

	tell := func(w trace.Warning) {
		ui.tell(w)
		out.told(w)
	}
	return follow(m, plans, program, o, ui, tell, func(ctx context.Context, t *trace.Trace, stop func()) error {
		sums.live(t.Now, stop)
		out.total.live(t.Now)
		defer func() { out.losses(t.Losses(), o, ui) }()
		unwatch, err := watchSpecs(o, ctx, t, ui)
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
func follow(m *trace.Machine, plans []*fetchargs.Plan, program *program, o *flags.Options, ui *ui, tell func(trace.Warning),
	do func(ctx context.Context, t *trace.Trace, stop func()) error) (err error) {
	signalled, release := onSignal()
	defer release()
	trace.Notes(plans, ui.verbose, ui.tell)
	if len(o.BTF) > 0 {
		if err := btf.Open(o.BTF...).CheckRunning(); err != nil {
			ui.warn("%v: values may be wrong", err)
		}
	}
	progress := newProgress(ui)
	to := traceOptions(o, ui, progress)
	to.Warn = tell
	t, err := m.Arm(signalled, plans, to)
	progress.end()
	if errors.Is(err, trace.ErrInterrupted) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() {
		err = cmp.Or(err, t.Close())
		progress.end()
	}()
	trace.LeftOut(t.Plans(), ui.verbose, ui.tell)

	ctx, err := program.run(signalled)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.Duration > 0 {
		ctx, stop = context.WithTimeout(ctx, o.Duration)
		defer stop()
	}
	if o.Command == "trace" { // a recording is not shown, and must be completed
		defer insist(signalled, t, ui)()
	}
	return do(ctx, t, stop)
}

// traceOptions says what to trace.
func traceOptions(o *flags.Options, ui *ui, p *progress) trace.Options {
	to := o.Trace
	to.Text, to.Rearm, to.MaxRate = o.Reader == "text", o.Guard == "rearm", rate(o)
	to.Wait, to.Chain, to.Begin = o.Plan.Wait, o.Plan.Chain, o.Begins()
	to.Progress = p.step
	if o.Show.Time == render.TimeBoot {
		to.Clock = "boot"
	}
	if ui.verbose {
		to.Log = ui.detail
	}
	return to
}
