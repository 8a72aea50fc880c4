package trace

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Errors of recordings that lack what was asked for.
var (
	ErrHalves = errors.New("a chain needs entries and returns")
	ErrStacks = errors.New("no stacks were recorded")
)

// newPairers returns the pairers that turn events into calls. One is enough unless
// several plans use the same events.
func (r *Reading) newPairers(begin, chain bool) ([]*calls.Pairer, error) {
	r.begin = begin
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
	po := calls.Options{Order: r.order, Begin: begin, Accept: r.matches}
	if chain {
		for _, p := range r.plans {
			if p.Renames != "" {
				continue
			}
			po.Chain++
			if !p.Paired() {
				return nil, fmt.Errorf("%s: %w", p.Spec.Func.Text, ErrHalves)
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
				sides[r.format[plan.Entry()].ID] = r.renames(plan)
			}
		}
		po.Delta = r.plans[0].Arch.StackDelta
		pairers = append(pairers, calls.NewPairer(sides, po))
	}
	return pairers, nil
}

// taken reports whether an event of the plan is already in a group.
func (r *Reading) taken(group map[int]calls.Side, of *plan.Plan) bool {
	for _, p := range plan.Probes([]*plan.Plan{of}) {
		if _, ok := group[r.format[p].ID]; ok {
			return true
		}
	}
	return false
}

// addSides adds the events that are the entries and the returns of a plan.
func (r *Reading) addSides(sides map[int]calls.Side, index int, of *plan.Plan) {
	for _, p := range of.Probes {
		s := calls.Side{Plan: index, Return: p.Side == dynevent.Return, Paired: of.Paired(), Stack: -1, Func: of.Spec.Func.Text, Spec: of.Spec.Text}
		s.Part, s.Parts = p.Part, len(of.Of(p.Side))
		if s.Return {
			s.Filtered = hasFilter(of.Of(dynevent.Entry))
		} else {
			// If a task only changes its name meanwhile, its call was asked for even
			// without its return.
			s.Filtered = slices.ContainsFunc(of.Of(dynevent.Return), (*plan.Probe).Chooses)
		}
		if p.Stack >= 0 {
			s.Stack = r.format[p].Field(p.Args[p.Stack].Name).Offset
		}
		sides[r.format[p].ID] = s
	}
}

func hasFilter(probes []*plan.Probe) bool {
	return slices.ContainsFunc(probes, func(p *plan.Probe) bool { return p.Filter != "" })
}

// renames returns a side that ends the calls of a task when it changes its name: the
// kernel records nothing more of it after that.
func (r *Reading) renames(plan *plan.Plan) calls.Side {
	d := r.decoder[plan.Entry()]
	return calls.Side{Ends: func(e *tracefs.Event) (int, bool) { return plan.Renamed(d, e.Data) }}
}
