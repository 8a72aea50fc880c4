package trace

import (
	"context"
	"iter"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/text"
)

// observer returns what counts the calls for Losses and WhyNoCalls.
func (t *Trace) observer() stream.Observer {
	return stream.Observer{
		Event:   t.noCalls.Event,
		Refused: func(c *calls.Call) { t.noCalls.Refused(c.Plan, func(held []uint64) { t.CountHeld(c, held) }) },
		Shown:   t.noCalls.End,
		Call: func(c *calls.Call) {
			p := t.Plans[c.Plan]
			t.inFlight.Saw(p, c)
			t.account.Saw(p, c)
		},
		Unreturned: func(c *calls.Call, shown, atEnd bool) { t.account.Unreturned(t.Plans[c.Plan], c, shown, atEnd) },
	}
}

// WhyNoCalls explains in a few sentences why no call has come yet. It returns none if a call has
// come, and all other times but the first. It takes 300 ms, or up to five times as long
// while there are events that were not read. It may be called from a goroutine other than
// the one that reads the calls.
func (t *Trace) WhyNoCalls() []string { return t.whyNoCalls(false) }

// WhyNoCallsAtEnd is WhyNoCalls for a trace whose Calls have ended: it takes no time.
func (t *Trace) WhyNoCallsAtEnd() []string { return t.whyNoCalls(true) }

func (t *Trace) whyNoCalls(allRead bool) []string {
	all, err := t.noCalls.Explain(t.session, t.plansNow(), t.inFlight, t.host, allRead)
	if err != nil {
		t.Warner.Detailf("%v", err)
	}
	return all
}

// Losses stops the tracing and returns exactly what was lost and missed.
func (t *Trace) Losses() *losses.Losses {
	if t.lost != nil {
		return t.lost
	}
	t.stop()
	t.guard.Settle()
	t.takeFurther() // plans whose events have not come
	l := &losses.Losses{Kept: losses.Kept{Interfered: t.Kept.Interfered}}
	if l.CPUs, l.Err = t.session.FinalStats(); l.Err == nil {
		l.BufferKB, _ = t.session.BufferKB()
	}
	hits, err := define.Hits(t.session, t.Plans)
	if err != nil {
		t.Warner.Detailf("%v", err)
	}
	t.account.Missed(l, hits, t.Plans, len(t.o.Pids) == 0, !t.recording.Load(), t.Warner)
	l.Unfinished, l.SwitchedOff = t.inFlight.AtEnd(), t.Spans.SwitchOffs(t.Plans, t.Plans)
	t.lost = l
	return l
}

// Calls yields the calls as they end, and with Options.Begin also as they begin. When
// ctx is done, Calls still yields what the kernel has recorded by then. It stops at the
// first error. A call and its events are valid only until the next one. Calls can be
// ranged over once.
func (t *Trace) Calls(ctx context.Context) iter.Seq2[*calls.Call, error] {
	return func(yield func(*calls.Call, error) bool) {
		go t.host.Symbols.Prepare() // so that they are probably ready when the first line needs them
		ctx, release := t.untilDrained(ctx)
		defer release()
		t.Stream.Calls(t.events(ctx), t.observer())(yield)
	}
}

// untilDrained stops the tracing when ctx is done. The context that it returns is done
// when the tracing has stopped: what is in the buffers by then is still to be read.
func (t *Trace) untilDrained(ctx context.Context) (_ context.Context, release func()) {
	ctx, end := context.WithCancel(ctx)
	unwatch := t.modules.Watch(ctx, end)
	unspent := context.AfterFunc(t.spent, end)
	read, drained := context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, func() {
		t.stop()
		drained()
	})
	return read, func() {
		stop()
		unspent()
		drained()
		end()
		unwatch()
	}
}

// stop ends the tracing. The probes and what they have recorded stay.
func (t *Trace) stop() {
	t.guard.Stop()
	t.ending.Do(func() {
		t.Spans.Stop()
		t.probes.AwaitReturns(t.plansNow())
		t.inFlight.End()
	})
	if err := t.session.Stop(); err != nil {
		t.Warner.Detailf("%v", err)
	}
}

// events yields the events of the trace.
func (t *Trace) events(ctx context.Context) iter.Seq2[*tracefs.Event, error] {
	var further func() []*tracefs.Format
	if t.o.Reload {
		further = t.takeFurther
	}
	idle := t.Idle
	if idle == nil {
		idle = func() {}
	}
	if t.o.Text {
		return text.Read(ctx, t.session, text.Options{Formats: t.Formats, Further: further, Addr: t.host.Symbols.Addr, Order: t.Order, Idle: idle})
	}
	events := read.Live(ctx, t.session, read.Options{Formats: t.Formats, Further: further, Other: t.renumbered.Format, Damaged: t.damaged, Idle: idle, Aside: t.names.Aside()}, t.Now)
	return t.Follow(t.names.Follow(events))
}

// damaged warns that a buffer cannot be parsed.
func (t *Trace) damaged(cpu int, err error) {
	t.Warner.Warnf("the ring buffer of CPU %d cannot be understood: %v", cpu, err)
}

// isHere reports whether a call is of a CPU that is asked for.
func (t *Trace) isHere(c *calls.Call, p *plan.Plan) bool {
	is := t.IsHere(c, p)
	if !is {
		t.noCalls.Elsewhere(c.Plan)
	}
	return is
}

// plansNow returns the plans. It may be called from any goroutine.
func (t *Trace) plansNow() []*plan.Plan {
	t.plansMu.Lock()
	defer t.plansMu.Unlock()
	return t.Plans
}

// takeFurther takes in the plans that were armed meanwhile and returns the formats of
// their events.
func (t *Trace) takeFurther() (formats []*tracefs.Format) {
	armed := t.reloader.Take()
	if len(armed) == 0 {
		return nil
	}
	t.plansMu.Lock()
	for _, a := range armed {
		formats = append(formats, t.Grow(a.Plans, a.Layouts)...)
	}
	t.plansMu.Unlock()
	if t.Further != nil {
		t.Further()
	}
	return formats
}

// Now returns the time on the trace clock, in ns.
func (t *Trace) Now() uint64 { return proc.ClockTime(t.clock) }
