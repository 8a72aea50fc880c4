package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/live"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/specs"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// runTrace is the pipeline: spec, plan, trace, call, line.
func runTrace(o *flags.Options, ui *terminal.UI) (err error) {
	if isQuestion(o) {
		return runFirst(o, ui)
	}
	if len(o.Args) == 0 {
		return flags.Errorf("run tsnoop 'ip_rcv(skb->len, dev->name)'; tsnoop help shows more", "which function?")
	}
	o.Plan.Names = followsNames(o)
	o.Plan.NoCallers = o.Summary == "only" && !slices.Contains(o.By, sum.ByCaller)
	if o.Emit != "" || o.Explain {
		return runEmit(o, ui)
	}
	o.Trace.Program = "tsnoop " + version()
	o.Trace.Processes = o.Notation.Name == "json" && o.Reader != "text" // text could name a task that has ended
	out := output.New(o, ui)
	run, err := live.Begin(o, ui, true)
	if err != nil {
		return err
	}
	defer func() { err = run.End(err) }()
	if err := out.Open(); err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()

	report := func(w tracefs.Warning) {
		ui.PrintWarning(w)
		out.Warn(w)
	}
	return run.Trace(out.File(), report, func(ctx context.Context, t *trace.Trace, stop func()) error {
		out.Live(t.Now, stop)
		defer func() {
			out.Losses(t.Losses())
			out.Origin(t.Ended())
		}()
		unfollow, err := specs.Reload(ctx, o, run.Later(), t, ui)
		if err != nil {
			return err
		}
		defer unfollow()
		defer live.ExplainNoCalls(t, ui)()
		if err := out.Show(&t.Stream, t.Calls(ctx)); err != nil {
			return err
		}
		run.ExplainNone(ctx, t)
		return nil
	})
}

// followsNames reports whether the names of tasks need not be fetched. They are where text has
// them, where not all CPUs record, where the kernel chooses by them, and where probes are
// defined while a trace runs; and for a program that is started for the trace: it is often
// short, and the start and end of an instance take as long as those of the trace itself.
func followsNames(o *flags.Options) bool {
	return o.Emit == "" && len(o.Program) == 0 && o.Reader != "text" && len(o.Trace.CPUs) == 0 && o.Plan.Comm == "" && !o.Trace.Reload && !o.Plan.Wait
}
