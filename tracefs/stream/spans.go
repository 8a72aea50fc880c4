package stream

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Spans says when a trace was whole, so that a call is shown only if nothing of it could
// go unseen. To enable or disable probes takes 100 ms and more, one after the other. A
// call that begins meanwhile would be shown without its return, or without those it
// was called by.
//
// The reader may lag, so Spans keeps times and not only the present state. Its methods
// may be called from any goroutine. A nil one knows of no time at which the trace was not
// whole.
type Spans struct {
	now func() uint64 // ns on the trace clock
	// check reports whether the returns of a plan are recorded; nil for a recording. To
	// switch off the probes of a trace takes another program 100 ms, and only then the
	// kernel reports it.
	check func(*plan.Plan) bool
	any   atomic.Bool // some call may have to be left out

	mu sync.Mutex // guards everything below
	// of has the spans of the plans that were switched on or off while the trace ran.
	of       map[*plan.Plan][]span
	breaking bool   // returns may go unseen now
	checked  uint64 // when check was called last
	savedSpans
}

// savedSpans is the part that is the same for all plans. It is stored in recordings.
type savedSpans struct {
	End    uint64 `json:",omitempty"` // calls that begin later are not shown; 0 for none
	Broken uint64 `json:",omitempty"` // until then returns may have gone unseen
}

// A span is a time in ns on the trace clock, both ends included.
type span struct {
	From  uint64
	Until uint64 `json:",omitempty"` // 0 if it has not ended
	// If it ended because there were too many events: how many a second, and how many were
	// allowed. Older recordings have neither.
	Rate  uint64 `json:",omitempty"`
	Limit int    `json:",omitempty"`
}

// NewSpans returns the spans of a trace that is whole. now returns the time on the trace
// clock, in ns. check reports whether the returns of a plan are recorded; nil for a
// recording.
func NewSpans(now func() uint64, check func(*plan.Plan) bool) *Spans {
	return &Spans{now: now, check: check, of: map[*plan.Plan][]span{}}
}

// Await says that plans will be switched on later.
func (s *Spans) Await(plans []*plan.Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.any.Store(true)
	for _, p := range plans {
		s.of[p] = []span{}
	}
}

// Open says that all probes of plans are enabled from now on.
func (s *Spans) Open(plans []*plan.Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, p := range plans {
		if all, ok := s.of[p]; ok && (len(all) == 0 || all[len(all)-1].Until > 0) {
			s.of[p] = append(all, span{From: now})
		}
	}
}

// Close says that probes of plans are about to be disabled.
func (s *Spans) Close(plans []*plan.Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.any.Store(true)
	now := s.now()
	for _, p := range plans {
		all := s.of[p]
		if all == nil {
			all = []span{{}}
		}
		if n := len(all); n > 0 && all[n-1].Until == 0 {
			all[n-1].Until = now
		}
		s.of[p] = all
	}
}

// Stop says that the trace ends: calls that begin from now on are not shown.
func (s *Spans) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.any.Store(true)
	s.End = cmp.Or(s.End, s.now())
}

// Breaks says that returns may have gone unseen up to now, and if it goes on that they
// still may.
func (s *Spans) Breaks(goesOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.any.Store(true)
	s.Broken, s.breaking = s.now(), goesOn
}

// begins reports whether a call is shown that begins with these events: it has begun
// while all probes of its plan were enabled.
func (s *Spans) begins(plan *plan.Plan, c *calls.Call) bool {
	if s == nil || !s.any.Load() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, begun := s.find(plan, c)
	return begun && i != none
}

// always reports whether the returns of a plan were recorded all the time.
func (s *Spans) always(plan *plan.Plan) bool {
	if !s.any.Load() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.breaking && s.Broken == 0 && s.of[plan] == nil
}

// none is the index of no span.
const none = -1

// find returns the index of the plan's span in which the call begins, 0 if the plan was
// never switched, and whether the call begins before the end.
func (s *Spans) find(plan *plan.Plan, c *calls.Call) (index int, begun bool) {
	first := c.Entry
	if first == nil {
		first = c.Return
	}
	begun = s.End == 0 || first.Time <= s.End
	all, switched := s.of[plan]
	if !switched {
		return 0, begun
	}
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].From <= first.Time && (all[i].Until == 0 || first.Time <= all[i].Until) {
			return i, begun
		}
	}
	return none, begun
}

// cut reports whether the return of a call that seems unfinished could go unseen, so that
// nobody knows whether it is. The reader has come to time at.
func (s *Spans) cut(plan *plan.Plan, c *calls.Call, at uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.check != nil && at > s.checked && s.End == 0 {
		s.checked = s.now()
		if !s.check(plan) {
			s.Broken = s.now()
		}
	}
	if s.breaking || c.Entry.Time <= s.Broken {
		return true
	}
	i, _ := s.find(plan, c)
	if all := s.of[plan]; i >= 0 && i < len(all) {
		return all[i].Until > 0
	}
	return i == none
}

// save returns what a recording needs.
func (s *Spans) save(plans []*plan.Plan) (all savedSpans, of map[int][]span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.breaking {
		s.Broken = s.now()
	}
	for i, p := range plans {
		if own, ok := s.of[p]; ok {
			if of == nil {
				of = map[int][]span{}
			}
			of[i] = append([]span{}, own...)
		}
	}
	return s.savedSpans, of
}

// load restores what save has returned.
func (s *Spans) load(plans []*plan.Plan, all savedSpans, of map[int][]span) {
	s.savedSpans = all
	for i, p := range plans {
		if own, ok := of[i]; ok {
			s.of[p] = own
		}
	}
	s.any.Store(len(s.of) > 0 || all != (savedSpans{}))
}

// Share says that plan shows the events of another.
func (s *Spans) Share(plan, with *plan.Plan) {
	if s == nil {
		return
	}
	if own, ok := s.of[with]; ok {
		s.of[plan] = own
	}
}

// isWhole reports whether nothing of a call went unseen because the trace was not whole. Half a
// call looks like something else: like a call that began before the trace, or did not end. A
// call that has begun to be shown is always shown to its end. The reader has come to time at.
func (r *Stream) isWhole(c *calls.Call, at uint64) bool {
	switch {
	case r.Spans == nil || c.Begun:
		return true
	case c.Orphan: // it began before the trace was whole, unless its entry was lost
		plan := r.Plans[c.Plan]
		return (r.Gaps.any || !c.Early && r.Spans.always(plan)) && r.Spans.begins(plan, c)
	case c.Unfinished && !r.begin:
		return !r.Spans.cut(r.Plans[c.Plan], c, at)
	}
	return true
}
