package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/specs"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// runTrace is the pipeline: spec, plan, trace, call, line.
func runTrace(o *flags.Options, ui *terminal.UI) (err error) {
	if isQuestion(o) {
		return runFirst(o, ui)
	}
	if len(o.Args) == 0 {
		return flags.Errorf("tsnoop 'ip_rcv(skb->len, dev->name)'; tsnoop help shows more", "which function?")
	}
	if o.Emit != "" || o.Explain {
		return runEmit(o, ui)
	}
	out := output.New(o, ui)
	m, plans, err := planSlowly(o, ui, true)
	if err != nil {
		return err
	}
	program, err := hold(o, ui)
	if err != nil {
		return err
	}
	defer func() { err = program.end(err) }()
	if err := out.Open(); err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()

	tell := func(w trace.Warning) {
		ui.Tell(w)
		out.Told(w)
	}
	return follow(m, plans, program, o, ui, tell, func(ctx context.Context, t *trace.Trace, stop func()) error {
		out.Live(t.Now, stop)
		defer func() { out.Losses(t.Losses()) }()
		unwatch, err := specs.Watch(ctx, o, t, ui)
		if err != nil {
			return err
		}
		defer unwatch()
		defer whyQuiet(t, quietAfter, ui)()
		return out.Show(&t.Reading, t.Calls(ctx))
	})
}

// planSlowly is like target.Plans, but reports progress if it takes long.
func planSlowly(o *flags.Options, ui *terminal.UI, text bool) (*trace.Machine, []*fetchargs.Plan, error) {
	defer ui.Watch(func() string { return "reading the kernel's types and symbols..." })()
	return target.Plans(o, text)
}

// follow arms a trace, lets the program run and calls do with the trace, a context that
// is done when the trace should end, and a function that ends it. Afterwards it undoes
// everything.
func follow(m *trace.Machine, plans []*fetchargs.Plan, program *program, o *flags.Options, ui *terminal.UI, tell func(trace.Warning),
	do func(ctx context.Context, t *trace.Trace, stop func()) error) (err error) {
	signalled, release := onSignal()
	defer release()
	trace.Notes(plans, ui.Verbose, ui.Tell)
	if len(o.BTF) > 0 {
		if err := btf.Open(o.BTF...).CheckRunning(); err != nil {
			ui.Warn("%v: values may be wrong", err)
		}
	}
	progress := ui.NewProgress()
	to := traceOptions(o, ui, progress)
	to.Warn = tell
	t, err := m.Arm(signalled, plans, to)
	progress.End()
	if errors.Is(err, trace.ErrInterrupted) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() {
		err = cmp.Or(err, t.Close())
		progress.End()
	}()
	trace.LeftOut(t.Plans(), ui.Verbose, ui.Tell)

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
func traceOptions(o *flags.Options, ui *terminal.UI, p *terminal.Progress) trace.Options {
	to := o.Trace
	to.Text, to.Rearm, to.MaxRate = o.Reader == "text", o.Guard == "rearm", output.MaxRate(o)
	to.Wait, to.Chain, to.Begin = o.Plan.Wait, o.Plan.Chain, o.Begins()
	to.Progress = p.Step
	if o.Show.Time == render.TimeBoot {
		to.Clock = "boot"
	}
	if ui.Verbose {
		to.Log = ui.Detail
	}
	return to
}
