package stream

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// ErrHalves says that a chain was asked for of plans that lack entries or returns.
var ErrHalves = errors.New("a chain needs entries and returns")

// Pair makes the pairers that turn the events of Plans into calls. One is enough unless
// several plans use the same events. With begin, calls are also yielded when they begin.
// With chain, that too, and only calls in which the first plan's function led to the
// second's, that one to the third's, and so on.
func (r *Stream) Pair(begin, chain bool) error {
	begin = begin || chain
	r.begin = begin
	var groups []map[int]calls.Side
	for i, plan := range r.Plans {
		if plan.IsOwn() {
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
	po := calls.Options{Order: r.Order, Begin: begin, Accept: r.matches}
	if chain {
		for _, p := range r.Plans {
			if p.IsOwn() {
				continue
			}
			po.Chain++
			if !p.Paired() {
				return fmt.Errorf("%s: %w", p.Spec.Func.Text, ErrHalves)
			}
		}
		if len(groups) > 1 {
			return fmt.Errorf("a recorded function can be in a chain only once")
		}
	}
	if po.Delta = calls.DeltaUnknown; len(r.Plans) > 0 {
		po.Delta = r.Plans[0].Arch.StackDelta
	}
	if len(groups) == 0 { // for plans that come later
		groups = append(groups, map[int]calls.Side{})
	}
	for _, sides := range groups {
		for _, plan := range r.Plans {
			if plan.Renames != "" {
				sides[r.format[plan.Entry()].ID] = r.renames(plan)
			}
		}
		r.pairers = append(r.pairers, calls.NewPairer(sides, po))
	}
	return nil
}

// taken reports whether an event of the plan is already in a group.
func (r *Stream) taken(group map[int]calls.Side, of *plan.Plan) bool {
	for _, p := range plan.Probes([]*plan.Plan{of}) {
		if _, ok := group[r.format[p].ID]; ok {
			return true
		}
	}
	return false
}

// addSides adds the events that are the entries and the returns of a plan.
func (r *Stream) addSides(sides map[int]calls.Side, index int, of *plan.Plan) {
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
			s.Stack = r.format[p].Field(p.RecordName(p.Stack)).Offset
		}
		sides[r.format[p].ID] = s
	}
}

func hasFilter(probes []*plan.Probe) bool {
	return slices.ContainsFunc(probes, func(p *plan.Probe) bool { return p.Filter != "" })
}

// Grow adds plans, with the layouts of their events, which it returns the formats of.
func (r *Stream) Grow(plans []*plan.Plan, layouts []amend.Layout) (formats []*tracefs.Format) {
	for _, l := range layouts {
		r.Take(l)
		formats = append(formats, l.Format)
	}
	sides := map[int]calls.Side{}
	for i, plan := range plans {
		if plan.Renames != "" {
			sides[r.format[plan.Entry()].ID] = r.renames(plan)
		} else if !plan.IsOwn() {
			r.addSides(sides, len(r.Plans)+i, plan)
		}
	}
	r.Plans = append(r.Plans, plans...)
	r.pairers[0].Know(sides)
	return formats
}

// renames returns a side that ends the calls of a task when it changes its name: the
// kernel records nothing more of it after that.
func (r *Stream) renames(plan *plan.Plan) calls.Side {
	d := r.decoder[plan.Entry()]
	return calls.Side{Ends: func(e *tracefs.Event) (int, bool) { return plan.Renamed(d, e.Data) }}
}
