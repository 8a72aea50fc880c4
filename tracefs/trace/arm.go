package trace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/arm"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/guard"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/names"
	"github.com/tsnoop/tsnoop/tracefs/nocalls"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
	"golang.org/x/sys/unix"
)

// ErrInterrupted is returned by Arm when its context is done before the probes are
// enabled.
var ErrInterrupted = define.ErrInterrupted

// The error of Arm wraps ErrNames or ErrWitness if PlanOptions.Names or Witness cannot be used.
var ErrNames, ErrWitness = names.ErrUnavailable, arm.ErrWitness

// A Trace records what its plans describe. [Arm] returns it with all probes
// enabled. Close, Now and Session may be called from any goroutine, and other methods
// only from the one that reads the calls, unless they say otherwise.
type Trace struct {
	stream.Stream
	o          Options
	host       *host.Host
	session    *tracefs.Session
	names      *names.Names // nil if names of tasks are fetched
	probes     *arm.Probes
	modules    *arm.Modules  // nil if all functions are in the kernel itself, and there are no events
	reloader   *arm.Reloader // nil if Reload may not be called
	renumbered *define.Renumbered
	plansMu    sync.Mutex   // guards Plans, which Reload may extend while the guard runs
	guard      *guard.Guard // nil until the trace begins

	inFlight *losses.InFlight
	account  *losses.Account
	lost     *losses.Losses // nil before Losses
	noCalls  *nocalls.Counts

	clock  int32                 // ID of the trace clock for clock_gettime
	ranges proc.Ranges           // mapped kernel addresses, nil if not known
	family func() ([]int, error) // threads that are traced; nil for all
	births bool                  // new tasks are recorded

	tampered    atomic.Bool     // another program has interfered; cleared by clocks
	recording   atomic.Bool     // raw pages are being recorded
	taking      *taking         // nil unless pages are recorded
	unwatchWall func()          // nil until the host's clock is watched
	spent       context.Context // done when all probes are switched off
	spend       func()
	ending      sync.Once // the end of the trace was set
}

// Arm creates a session, defines the probes of plans and enables them. If anything
// fails, or ctx is done before the probes are enabled, it undoes everything. Probes
// that the kernel refuses are returned as a spec.Errors; functions of a glob that it
// refuses are left out of Plans and noted in their Glob.
func Arm(ctx context.Context, h *host.Host, plans []*plan.Plan, o Options) (_ *Trace, err error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
	t := &Trace{Stream: stream.Stream{Warner: o.Warn, Plans: plans, Order: binary.NativeEndian, CPUs: o.CPUs, Names: tasks.NewNames(h.FS.Cmdlines)}, o: o, host: h}
	t.probes = &arm.Probes{Host: h, Stream: &t.Stream, Traced: t.traced, Log: o.Log}
	t.Spans = stream.NewSpans(t.Now, t.probes.RecordsReturns)
	if err := t.open(ctx, plans); err != nil {
		return nil, err
	}
	armed := false
	defer func() {
		if !armed { // an error, or a panic on its way up
			if failed := t.Close(); failed != nil {
				err = errors.Join(err, failed)
			}
		}
	}()
	if err := t.define(ctx, plans); err != nil {
		return nil, err
	}
	t.setClocks()
	if ctx.Err() != nil {
		return nil, define.ErrInterrupted
	}
	t.Processes.Remember()
	if o.Ready != nil {
		if err = o.Ready(t); err != nil {
			return nil, err
		}
	}
	// Start everything that watches before the first event is recorded, so that nothing
	// is missed in between.
	t.modules.Begin()
	t.guard = t.newGuard()
	t.inFlight = losses.NewInFlight(t.Plans, t.traced)
	t.names.Learn()
	if err = t.session.Enable(ctx); errors.Is(err, ctx.Err()) && err != nil {
		return nil, define.ErrInterrupted
	} else if err != nil {
		return nil, err
	}
	t.Processes.Remember()
	armed = true // events may have been recorded since, and are shown even if ctx is done by now
	t.guard.Begin()
	return t, nil
}

// open creates the session, if this host can trace plans now.
func (t *Trace) open(ctx context.Context, plans []*plan.Plan) error {
	fs := t.host.FS
	if err := check(t.host, plans, t.o); err != nil {
		return err
	}
	if err := fs.AwaitLock(ctx, func(file string) { arm.WarnWaiting(file, t.Warner) }); ctx.Err() != nil {
		return define.ErrInterrupted
	} else if err != nil {
		return err
	}
	if !t.o.Force {
		if err := arm.Overload(ctx, fs, plans, t.o.Log); err != nil {
			return err
		}
	}
	so, err := t.sessionOptions()
	if err != nil {
		return err
	}
	if t.session, err = fs.NewSession(so); err != nil {
		return err
	}
	t.probes.Session = t.session
	t.probes.Definer = define.Definer{Session: t.session, Reasons: t.host.Reasons, Warner: t.Warner, Progress: t.o.Progress}
	t.spent, t.spend = context.WithCancel(context.Background())
	return nil
}

// define defines the probes, and what will make calls of their events.
func (t *Trace) define(ctx context.Context, plans []*plan.Plan) (err error) {
	o := &t.o
	if t.names, err = names.Open(t.host.FS, plans, t.host.NamesBy, names.Options{Clock: o.Clock, Now: t.Now, Warner: t.Warner, Log: o.Log}); err != nil {
		return err
	}
	if t.Plans, err = t.probes.Define(ctx, plans); err != nil {
		return err
	}
	if t.ranges = t.probes.Mapped(o.Reload); t.ranges != nil {
		t.Mapped = t.ranges.Contains
	}
	if err = t.probes.Learn(o.Stacks, t.births); err != nil {
		return err
	}
	t.probes.WarnOffline()
	t.Amend.See(t.Warner, len(o.Pids) == 0 && t.AllCalls(), &t.tampered)
	if err = t.Pair(o.Begin, o.Chain); err != nil {
		return err
	}
	t.account = losses.NewAccount(t.host.CountsFaults(t.Plans, o.Reload), t.Decoder)
	t.noCalls = nocalls.New(t.Plans, t.Format, nocalls.Scope{Pids: len(o.Pids) > 0, CPUs: len(o.CPUs) > 0, Chain: o.Chain})
	t.Choose = t.isHere
	t.renumbered = &define.Renumbered{Session: t.session, Formats: slices.Clone(t.Formats)}
	t.modules = arm.NewModules(t.probes, t.Plans, o.Wait, o.Reload, t.back)
	if o.Reload {
		t.reloader = arm.NewReloader(t.probes, t.Plans, t.modules, func(events []string) { t.guard.WatchFurther(events) })
	}
	t.NameBy(t.host.Symbols)
	return nil
}

// setClocks sets when the trace begins, and keeps its times in step with the host's clock.
func (t *Trace) setClocks() {
	t.Origin = t.newOrigin()
	t.Start = t.Origin.Began.Trace
	t.Wall.Set(t.Start, t.Origin.Began.Wall-int64(t.Start))
	var err error
	t.unwatchWall, err = proc.WatchClock(func() { t.Wall.Set(t.Now(), proc.WallOffset(t.Now)) })
	if err != nil {
		t.Warner.Detailf("times do not follow the clock if it is set: %v", err)
	}
}

// back enables an event of the kernel's own that is there again with its module.
func (t *Trace) back(event string, first int) error {
	err := t.renumbered.Back(event, first, t.recording.Load())
	if err == nil {
		t.guard.WatchFurther([]string{event})
	}
	return err
}

// newGuard returns what guards the trace.
func (t *Trace) newGuard() *guard.Guard {
	return guard.New(guard.Options{
		Session: t.session, Renumbered: t.renumbered, Plans: t.plansNow, Family: t.family, Stacks: t.o.Stacks, NewTasks: t.births, Warner: t.Kept.Interfere(t.names.Guarded(t.Warner), t.revise),
		Restore: t.o.Restore, MaxRate: t.o.MaxRate, Recording: t.recording.Load, Breaks: t.Spans.Breaks, Tampered: func() { t.tampered.Store(true) }, Spend: t.spend,
		SwitchOff: func(p *plan.Plan, rate uint64) ([]*plan.Plan, error) {
			off, err := t.probes.Limit(p, t.plansNow(), rate, t.o.MaxRate)
			t.revise()
			return off, err
		},
	})
}

// check rejects options that no session can be made for.
func check(h *host.Host, plans []*plan.Plan, o Options) error {
	switch {
	case h.FS == nil:
		return errors.New("nothing can be traced without tracefs")
	case o.Clock != "" && o.Clock != "mono" && o.Clock != "boot":
		return fmt.Errorf("the clock is mono or boot, not %q", o.Clock)
	case o.Stacks && o.Text:
		return errors.New("text does not show which event a stack belongs to")
	}
	for _, p := range plan.Probes(plans) {
		if p.Kind.AtFunction() {
			return h.FS.CheckKprobes()
		}
	}
	return nil
}

// sessionOptions derives the session's options from o.
func (t *Trace) sessionOptions() (tracefs.Options, error) {
	o := t.o
	so := tracefs.Options{Clock: "mono", BufferKB: o.BufferKB, CPUs: o.CPUs, IgnoreSelf: true, Stacktrace: o.Stacks, Log: o.Log}
	// A call that begins on one of the CPUs may end on another, and vice versa.
	so.AllCPUs = slices.ContainsFunc(t.Plans, (*plan.Plan).Paired)
	if so.BufferKB == 0 {
		so.BufferKB, so.BufferOrLess = host.DefaultBuffer(), true
	}
	t.clock = unix.CLOCK_MONOTONIC
	if o.Clock == "boot" {
		so.Clock, t.clock = "boot", unix.CLOCK_BOOTTIME
	}
	t.o.Clock = so.Clock
	t.Amend = amend.New(t.Order, amend.Times{Clock: so.Clock, Live: true, Coarse: o.Text})
	so.Progress = func(doing string, probes int) { o.Progress(doing, 0, probes) }
	return so, t.chooseThreads(&so)
}

// Close undoes everything that Arm did.
func (t *Trace) Close() error {
	t.taking.close()
	t.guard.Close()
	t.modules.Close()
	t.spend()
	if t.unwatchWall != nil {
		t.unwatchWall()
	}
	return errors.Join(t.probes.Close(), t.names.Close())
}

// Session returns what the trace has set up in tracefs.
func (t *Trace) Session() *tracefs.Session { return t.session }
