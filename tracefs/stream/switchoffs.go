package stream

import (
	"math"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Limit says that plans were switched off because one of them had rate events a second, more
// than limit.
func (s *Spans) Limit(plans []*plan.Plan, rate uint64, limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range plans {
		if all := s.of[p]; len(all) > 0 {
			last := &all[len(all)-1]
			last.Rate, last.Limit = rate, limit
		}
	}
}

// limited returns the span that ended before time to because the plan had too many events, so
// that after time from some of its calls are missing. In a recording the last span ends for
// no other reason.
func (s *Spans) limited(p *plan.Plan, from, to uint64) (_ span, ok bool) {
	if s == nil || !s.any.Load() {
		return span{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.of[p]
	for i, one := range all {
		last := i == len(all)-1
		limited := one.Limit > 0 || last && s.now == nil
		if limited && one.Until > 0 && one.Until < to && (last || all[i+1].From > from) {
			return one, true
		}
	}
	return span{}, false
}

// SwitchedOff returns since when calls of a plan are missing that began between two times on
// the trace clock, or nil if none are missing because there were too many. It may be called
// from any goroutine.
func (s *Spans) SwitchedOff(p *plan.Plan, from, to uint64) *tracefs.SwitchOff {
	last, ok := s.limited(p, from, to)
	if !ok || p.IsOwn() || p.Spec == nil {
		return nil
	}
	return &tracefs.SwitchOff{Func: p.FuncName(), Module: p.ModuleName(), Spec: p.UserText(), Name: p.Spec.Named(), Time: last.Until, Rate: last.Rate, Limit: last.Limit}
}

// SwitchOffs returns which of some plans were switched off because they had too many events.
// The name of one is its spec if others of all plans trace a function of that name, or if it
// needs events of another function.
func (s *Spans) SwitchOffs(some, all []*plan.Plan) (off []tracefs.SwitchOff) {
	for _, p := range some {
		o := s.SwitchedOff(p, 0, math.MaxUint64)
		if o == nil {
			continue
		}
		if slices.ContainsFunc(all, func(other *plan.Plan) bool {
			return other != p && (other.StartsClockOf(p) || !other.IsOwn() && other.Spec.Named() == o.Name)
		}) {
			o.Name = o.Spec
		}
		off = append(off, *o)
	}
	return off
}
