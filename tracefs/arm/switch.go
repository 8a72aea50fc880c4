package arm

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// SwitchOn enables the probes of plans while the trace runs. Their calls are shown from
// the time when all of them are enabled.
func (a *Probes) SwitchOn(plans []*plan.Plan) error {
	events := eventsOf(plans...)
	if err := a.Session.Resume(events); err != nil {
		return errors.Join(err, a.Session.Pause(events))
	}
	a.Stream.Spans.Open(plans)
	return nil
}

// SwitchOff disables the probes of plans while the trace runs, those of the entries
// first, so that the calls that have begun can return.
func (a *Probes) SwitchOff(plans []*plan.Plan) error {
	a.Stream.Spans.Close(plans)
	var entries, returns []string
	var shared [2][]*plan.Probe
	for _, p := range plan.Probes(plans) {
		if p.Share != nil {
			shared[p.Side] = append(shared[p.Side], p)
		} else if p.Side == dynevent.Entry {
			entries = append(entries, p.Event)
		} else {
			returns = append(returns, p.Event)
		}
	}
	err := errors.Join(a.Session.Pause(entries), a.leaveOut(shared[dynevent.Entry]))
	a.AwaitReturns(plans)
	if err = errors.Join(err, a.Session.Pause(returns), a.leaveOut(shared[dynevent.Return])); err != nil {
		a.Stream.Spans.Open(plans)
	}
	return err
}

// leaveOut has the kernel drop the records of functions from the events that they share with
// others.
func (a *Probes) leaveOut(probes []*plan.Probe) error {
	for _, p := range probes {
		m := p.Share.Of
		filter := fmt.Sprintf("%s != 0x%x", stream.AddressField(p.Side), p.Share.Addr)
		if m.Filter != "" {
			filter = m.Filter + " && " + filter
		}
		if len(filter) > dynevent.MaxFilter {
			return fmt.Errorf("the filter of %s has no room for another function", m.Event)
		}
		if err := a.Session.SetFilter(m.Event, filter); err != nil {
			return err
		}
		m.Filter = filter
	}
	return nil
}

// Limit disables the probes of a plan that has had rate events a second, more than limit,
// and those of the plans that would show wrong times and tasks without it. It returns all
// that it has disabled, and warns of them. plans are those that are defined.
func (a *Probes) Limit(p *plan.Plan, plans []*plan.Plan, rate uint64, limit int) ([]*plan.Plan, error) {
	off := []*plan.Plan{p}
	for _, other := range plans {
		if p.StartsClockOf(other) && a.Stream.Spans.SwitchedOff(other, 0, math.MaxUint64) == nil {
			off = append(off, other)
		}
	}
	if err := a.SwitchOff(off); err != nil {
		return nil, err
	}
	a.Stream.Spans.Limit(off, rate, limit)
	for _, o := range a.Stream.Spans.SwitchOffs(off, plans) {
		a.Stream.Warner.Warn(tracefs.Warning{Text: o.Now(), SwitchOff: &o})
	}
	return off, nil
}

// RecordsReturns reports whether the returns of a plan are recorded now.
func (a *Probes) RecordsReturns(p *plan.Plan) bool {
	var events []string
	for _, probe := range p.Of(dynevent.Return) {
		events = append(events, probe.KernelEvent())
	}
	return a.Session.Records(events)
}

// mostAwait is how long to wait for calls to return at most, each time for awaitEvery.
const (
	mostAwait  = 500 * time.Millisecond
	awaitEvery = 2 * time.Millisecond
)

// AwaitReturns waits until the calls that have begun and do not sleep have returned:
// until every thread that runs or waits for a CPU now has run for a while longer, or has
// stopped to run.
func (a *Probes) AwaitReturns(plans []*plan.Plan) {
	if !slices.ContainsFunc(plans, (*plan.Plan).Paired) {
		return
	}
	before := proc.Running(a.Traced())
	for until := time.Now().Add(mostAwait); len(before) > 0 && time.Now().Before(until); {
		time.Sleep(awaitEvery)
		now := proc.Running(slices.Collect(maps.Keys(before)))
		maps.DeleteFunc(before, func(tid int, ran uint64) bool {
			longer, runs := now[tid]
			return !runs || longer > ran+uint64(time.Millisecond)
		})
	}
}
