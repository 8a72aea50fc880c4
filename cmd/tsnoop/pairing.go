package main

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// begins tells whether calls are shown when they begin, too.
func (o *options) begins() bool { return o.chain || o.tree }

// pairs tells whether both the entry and the return of every call are needed.
func (o *options) pairs() bool { return o.begins() || o.summary != "" }

// pairers make calls of the events. One is enough unless several plans are
// about the same events.
func (r *reading) pairers(o *options) ([]*calls.Pairer, error) {
	if r.apart && o.begins() {
		return nil, fmt.Errorf("--chain and --tree need to know which return belongs to which entry: record it again")
	}
	var groups []map[int]calls.Side
	for i, plan := range r.plans {
		if plan.Renames != "" {
			continue
		}
		g := 0
		for g < len(groups) && r.taken(groups[g], plan) {
			g++
		}
		if g == len(groups) {
			groups = append(groups, map[int]calls.Side{})
		}
		r.addSides(groups[g], i, plan)
	}
	po := calls.Options{Order: r.order, Begin: o.begins(), Accept: r.matches}
	if o.chain {
		for _, p := range r.plans {
			if p.Renames != "" {
				continue
			}
			po.Chain = append(po.Chain, p.Spec.Func.Text)
			if p.Entry == nil || p.Return == nil {
				return nil, fmt.Errorf("%s: a chain needs entries and returns: record it with --chain", p.Spec.Func.Text)
			}
		}
		if len(groups) > 1 {
			return nil, fmt.Errorf("a recorded function can be in a chain only once")
		}
	}
	var pairers []*calls.Pairer
	for _, sides := range groups {
		for _, plan := range r.plans {
			if plan.Renames != "" {
				sides[r.format[plan.Entry].ID] = r.renames(plan)
			}
		}
		po.Delta = r.plans[0].Arch.StackDelta
		pairers = append(pairers, calls.NewPairer(sides, po))
	}
	return pairers, nil
}

// taken tells whether an event of the plan is in a group already.
func (r *reading) taken(group map[int]calls.Side, plan *fetchargs.Plan) bool {
	for _, p := range fetchargs.Probes([]*fetchargs.Plan{plan}) {
		if _, ok := group[r.format[p].ID]; ok {
			return true
		}
	}
	return false
}

// addSides tells which events are the entries and the returns of a plan.
func (r *reading) addSides(sides map[int]calls.Side, index int, plan *fetchargs.Plan) {
	for _, p := range fetchargs.Probes([]*fetchargs.Plan{plan}) {
		s := calls.Side{Plan: index, Return: p.Return, Paired: plan.Paired() && !r.apart, Stack: -1}
		if p.Return {
			s.Filtered = plan.Entry != nil && plan.Entry.Filter != ""
		} else {
			// Without a return a call was asked for all the same, if the task has
			// only got another name meanwhile.
			s.Filtered = plan.Return != nil && plan.Return.Chooses()
		}
		if p.Stack >= 0 {
			s.Stack = r.format[p].Field(p.Args[p.Stack].Name).Offset
		}
		sides[r.format[p].ID] = s
	}
}

// renames ends the calls of a task that gets another name, after which the kernel
// shows no more of it.
func (r *reading) renames(plan *fetchargs.Plan) calls.Side {
	d := r.decoder[plan.Entry]
	return calls.Side{Ends: func(e *tracefs.Event) (int, bool) { return plan.Renamed(d, e.Data) }}
}
