// Package live runs a trace on this host, with the program after -- if there is one,
// until the program ends, a signal comes or the time is over. Then it undoes
// everything.
package live

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// A Run is a trace on this host.
type Run struct {
	o       *flags.Options
	ui      *terminal.UI
	host    *host.Host
	plans   []*plan.Plan
	later   []*spec.Spec
	text    bool // the events may be read as text
	program *program
	cost    *costReport
	shown   atomic.Bool // all events have been
}

// Begin resolves the specs, which it reports if it takes long, and starts the program,
// which is held until the trace begins. With text, the events may be read as text.
func Begin(o *flags.Options, ui *terminal.UI, text bool) (*Run, error) {
	r := &Run{o: o, ui: ui, text: text, cost: newCostReport()}
	o.Plan.Witness = o.Reader != "text" && !o.Trace.Reload && !o.Plan.Wait // of further plans it does not know
	err := r.resolve(text)
	if err == nil {
		r.program, err = hold(o)
	}
	if err != nil {
		return nil, err
	}
	if r.program != nil && slices.ContainsFunc(r.plans, (*plan.Plan).Execs) {
		r.program.Restart()
	}
	return r, nil
}

func (r *Run) resolve(text bool) (err error) {
	defer r.ui.Watch(func() string { return "reading the kernel's types and symbols..." })()
	var later func(*spec.Spec)
	if text && !r.o.Plan.Chain { // a recording needs the fields of its events before it begins
		later = func(s *spec.Spec) { r.later = append(r.later, s) }
	}
	r.host, r.plans, err = target.Plans(r.o, text, later)
	return err
}

// Later returns the specs that wait for a module to be loaded.
func (r *Run) Later() []*spec.Spec { return r.later }

// End waits for the program and returns its exit status. err is the error of the run,
// which is reported at once if the program goes on.
func (r *Run) End(err error) error { return r.program.end(err, r.ui) }

// Trace arms the trace, lets the program run and calls do with a context that is done when
// the trace should end, the trace, and a function that ends it. Afterwards it undoes
// everything. A trace that is interrupted before it is armed is not an error. The trace ends
// once nobody can read what is written to out, which is nil for a recording.
func (r *Run) Trace(out *os.File, report func(tracefs.Warning), do func(ctx context.Context, t *trace.Trace, stop func()) error) (err error) {
	signalled := onSignal()
	defer func() { go r.untilExit(signalled) }()
	r.ui.Notes(r.plans)
	if len(r.o.BTF) > 0 {
		if err := btf.Open(r.o.BTF...).CheckRunning(); err != nil {
			r.ui.Warn("%v: values may be wrong", err)
		}
	}
	progress := r.ui.NewProgress()
	to := r.options()
	to.Progress, to.Warn = progress.Step, report
	t, err := trace.Arm(signalled, r.host, r.plans, to)
	for errors.Is(err, trace.ErrNames) && r.o.Plan.Names || errors.Is(err, trace.ErrWitness) && r.o.Plan.Witness {
		r.ui.Detail("%v", err)
		if errors.Is(err, trace.ErrNames) {
			r.o.Plan.Names = false
		} else {
			r.o.Plan.Witness = false
		}
		if err = r.resolve(r.text); err == nil {
			t, err = trace.Arm(signalled, r.host, r.plans, to)
		}
	}
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
	r.ui.LeftOut(t.Plans)

	ctx, err := r.program.run(signalled)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if r.o.Duration > 0 {
		ctx, stop = context.WithTimeout(ctx, r.o.Duration)
		defer stop()
	}
	if len(r.o.Trace.Pids) > 0 && r.program == nil {
		var release func()
		if ctx, release, err = t.WhileAlive(ctx); err != nil {
			return err
		}
		defer release()
	}
	if out != nil { // a recording is not shown, and must be completed
		defer insist(signalled, r.endTrace(t))()
		var release func()
		if ctx, release, err = whileRead(ctx, out); err != nil {
			return err
		}
		defer release()
	}
	err = do(ctx, t, stop)
	r.shown.Store(true)
	r.reportCost(t)
	return err
}

// options says what to trace.
func (r *Run) options() trace.Options {
	o := r.o
	to := o.Trace
	to.Text, to.Restore, to.MaxRate = o.Reader == "text", o.OnTamper == "restore", output.MaxRate(o)
	to.Processes = to.Processes || slices.Contains(o.By, sum.ByPID)
	to.Reload = to.Reload || len(r.later) > 0
	to.Wait, to.Chain, to.Begin = o.Plan.Wait, o.Plan.Chain, o.Begins()
	if o.Show.Time == render.TimeBoot {
		to.Clock = "boot"
	}
	if r.ui.Verbose {
		to.Log = r.ui.Detail
	}
	return to
}
