package main

import (
	"context"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// runTrace is the pipeline: spec, plan, session, event, call, line.
func runTrace(o *options, ui *ui) (err error) {
	if len(o.args) == 0 {
		return usagef("tsnoop 'ip_rcv(skb->len, dev->name)'; tsnoop help shows more", "which function?")
	}
	if o.emit != "" || o.explain {
		return runEmit(o, ui)
	}
	sums := newSumming(o)
	m, plans, err := plan(o, true)
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

	return follow(m, plans, program, o, ui, func(t *liveTrace, ctx context.Context, stop func()) error {
		lost := newLosses(o, ui, out, t.newSink(o, out))
		defer lost.total(t)
		pairers, err := t.pairers(o)
		if err != nil {
			return err
		}
		sink, idle := t.sink(o, out, lost.sink, sums)
		sums.live(t.now, stop)
		defer sums.begin(&t.reading, out, lost.sink, idle)()
		defer idle()
		return t.show(t.read(ctx, o, idle), pairers, lost.accounting(t, sink), lost)
	})
}

// follow arms a trace, lets the program run and hands the trace on, with a context
// that is done when it is over. In the end all is undone.
func follow(m *trace.Machine, plans []*fetchargs.Plan, program *program, o *options, ui *ui,
	show func(t *liveTrace, ctx context.Context, stop func()) error) (err error) {
	signalled, release := onSignal()
	defer release()
	t, err := arm(signalled, m, plans, o, ui)
	if err == errInterrupted {
		return nil
	} else if err != nil {
		return err
	}
	defer func() { err = firstError(err, t.close()) }()
	defer t.watch()()

	over, err := program.run(signalled)
	if err != nil {
		return err
	}
	ctx, stop := t.until(over, o.duration)
	defer stop()
	return show(t, ctx, stop)
}

// until ends the trace: at a signal, after the time given, or when the caller
// stops it. What is in the buffers by then is still read.
func (t *liveTrace) until(signalled context.Context, duration time.Duration) (context.Context, func()) {
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
