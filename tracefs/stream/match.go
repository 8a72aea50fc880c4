package stream

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// matches reports whether a call is shown: it was whole, it is asked for, and it meets the
// conditions that the kernel could not check.
func (r *Stream) matches(c *calls.Call) bool {
	plan := r.Plans[c.Plan]
	if !r.Window.has(c) || !r.Spans.begins(plan, c) {
		return false
	}
	if !r.Choose(c, plan) {
		return false
	}
	if !plan.Decides() {
		return true
	}
	r.decoders, r.records = r.decoders[:0], r.records[:0]
	for _, p := range plan.Probes {
		var data []byte
		if e := c.Event(p.Side == dynevent.Return, p.Part); e != nil {
			data = e.Data
		}
		r.decoders, r.records = append(r.decoders, r.decoder[p]), append(r.records, data)
	}
	if plan.Match(r.decoders, r.records, c.Duration, ended(c)) {
		return true
	}
	if r.observer.Refused != nil {
		r.observer.Refused(c)
	}
	return false
}

// CountHeld adds to a count of each condition of its plan whether it holds for a call, of which
// Observer.Refused has just learnt.
func (r *Stream) CountHeld(c *calls.Call, held []uint64) {
	r.Plans[c.Plan].CountHeld(held, r.decoders, r.records, c.Duration, ended(c))
}

// ended reports whether both sides of a call were seen.
func ended(c *calls.Call) bool { return c.Entry != nil && c.Return != nil }

// AllCalls reports whether the calls of all tasks and CPUs are shown, as far as the plans
// choose.
func (r *Stream) AllCalls() bool {
	return len(r.CPUs) == 0 && !slices.ContainsFunc(plan.Probes(r.Plans), (*plan.Probe).ChoosesComm)
}

// leaves removes the return of a call that ends on a CPU that is not asked for. IsHere
// refuses a call of which nothing else was seen.
func (r *Stream) leaves(c *calls.Call) {
	if ended(c) && !slices.Contains(r.CPUs, c.Return.CPU) {
		c.Return, c.Duration, c.Unfinished = nil, 0, true
	}
}

// IsHere reports whether a call has begun on one of the CPUs that are asked for.
func (r *Stream) IsHere(c *calls.Call, plan *plan.Plan) bool {
	if len(r.CPUs) == 0 {
		return true
	}
	begin := c.Entry
	if plan.Entry() == nil {
		begin = c.Return
	}
	return begin != nil && slices.Contains(r.CPUs, begin.CPU)
}
