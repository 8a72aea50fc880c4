// Package define writes the probes of plans and their filters into a session. It explains
// what the kernel refuses by the place in the user's spec.
package define

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
)

// ErrInterrupted is returned if the context is done before the probes are enabled.
var ErrInterrupted = errors.New("ended before the trace began")

// A Definer writes the probes of plans into a session.
type Definer struct {
	Session  *tracefs.Session
	Reasons  *Reasons
	Warner   tracefs.Warner
	Progress func(doing string, n, all int) // may be nil

	prefaults []string // system calls, see prefetch
}

func (d *Definer) progress(n, all int) {
	if d.Progress != nil {
		d.Progress("arming", n, all)
	}
}

// Define writes the probes of plans and their filters, and returns the plans that the
// kernel has accepted. It returns all refusals as one error. Functions of a glob that
// the kernel refuses are left out.
func (d *Definer) Define(ctx context.Context, plans []*plan.Plan) (kept []*plan.Plan, err error) {
	if err := d.defineMany(ctx, plans); err != nil {
		return nil, err
	}
	refused, err := d.defineSides(ctx, plans)
	if err != nil {
		return nil, err
	}
	var wrong spec.Errors
	for i, plan := range plans {
		switch {
		case len(refused[i]) == 0:
			kept = append(kept, plan)
		case plan.Glob == nil:
			wrong = append(wrong, refused[i].Unique()...)
		default:
			if err := d.leaveOut(plan, refused[i][0]); err != nil {
				return nil, err
			}
		}
	}
	for _, g := range plan.Globs(plans) {
		if len(g.Left) == g.Matches {
			wrong = append(wrong, g.Empty())
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return kept, d.prefault(kept)
}

// defineSides writes the probes of plans and returns, for each plan, why the kernel
// refuses it.
func (d *Definer) defineSides(ctx context.Context, plans []*plan.Plan) (refused []spec.Errors, err error) {
	refused = make([]spec.Errors, len(plans))
	for n, next := range plan.DefinitionOrder(plans) {
		if ctx.Err() != nil {
			return nil, ErrInterrupted
		}
		d.progress(n/2, len(plans))
		i := next.Plan
		if plans[i].Glob != nil && len(refused[i]) > 0 {
			continue
		}
		more, err := d.defineSide(plans[i], next.Side)
		if err != nil {
			return nil, err
		}
		refused[i] = append(refused[i], more...)
	}
	return refused, nil
}

// prefault makes the kernel page in what the plans of system calls read, if it can do
// that.
func (d *Definer) prefault(plans []*plan.Plan) error {
	before := len(d.prefaults)
	for _, plan := range plans {
		if plan.PrefaultCall != "" && !slices.Contains(d.prefaults, plan.PrefaultCall) {
			d.prefaults = append(d.prefaults, plan.PrefaultCall)
		}
	}
	return d.Session.Prefault(d.prefaults[before:])
}

// leaveOut removes the probes of a plan that was refused in part.
func (d *Definer) leaveOut(left *plan.Plan, why *spec.Error) error {
	left.Glob.LeaveOut(left.Spec.Func.Text, why)
	for _, p := range plan.Probes([]*plan.Plan{left}) {
		if err := d.Session.Remove(p.Event); err != nil {
			return err
		}
	}
	return nil
}

// defineSide writes the probes of one side of a plan. refused says why the kernel
// refuses them.
func (d *Definer) defineSide(plan *plan.Plan, side dynevent.Side) (refused spec.Errors, err error) {
	for _, p := range slices.Backward(plan.Of(side)) {
		if p.Share != nil { // see defineMany
			continue
		}
		for _, p := range p.WithSpare() {
			e, err := d.defineProbe(p)
			if err != nil {
				return nil, err
			}
			if e != nil {
				if refused = append(refused, e); plan.Glob != nil {
					return refused, nil
				}
				break
			}
			filter := p.KernelFilter()
			if filter == "" {
				continue
			}
			if err := d.Session.SetFilter(p.Event, filter); err != nil {
				return nil, fmt.Errorf("the filter of %s: %w", plan.Spec.Func.Text, err)
			}
		}
	}
	return refused, nil
}

// defineProbe writes one probe. If several functions have its name, it is refused only
// if none of them can be probed.
func (d *Definer) defineProbe(p *plan.Probe) (first *spec.Error, err error) {
	if !p.Kind.Defined() {
		return nil, d.Session.Use(p.Event)
	}
	lines := p.Placed(d.Session.Group())
	explain, say := d.Reasons.refusal, d.Warner.Warnf
	if p.Plan.Glob != nil {
		explain, say = d.Reasons.refusalOfMany, d.Warner.Detailf
	}
	refused, failed := 0, ""
	for i, line := range lines {
		symbol := p.Symbols[i/p.Times()]
		if symbol == failed {
			continue
		}
		err := d.Session.Define(p.Kind.File(), line)
		if err == nil {
			continue
		}
		e, ok := explain(p, line, err)
		switch {
		case !ok:
			return nil, err
		case i%p.Times() > 0: // a CPU would be left out
			return e, nil
		}
		refused, failed = refused+1, symbol
		if first == nil {
			first = e
		}
	}
	if refused == len(p.Symbols) {
		return first, nil
	}
	if refused > 0 {
		say("%s: %d of them cannot be probed", p.Plan.Spec.Func.Text, refused)
	}
	return nil, nil
}
