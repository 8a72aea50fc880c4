package sum

import (
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// Sums aggregates the calls of some plans, or classes of them: all of them, and those of the current
// interval. Times are in ns on the clock of the events.
type Sums struct {
	before  []Sum // sums of earlier intervals
	current []Sum
	start   uint64
	since   uint64 // start of the current interval
	last    uint64 // the latest time of a call
	quiet   bool   // there was no call in the current interval
}

// NewSums returns the sums of this many plans, from start on.
func NewSums(plans int, start uint64) *Sums {
	return &Sums{before: make([]Sum, plans), current: make([]Sum, plans), start: start, since: start, last: start, quiet: true}
}

// Grow adds room for further plans.
func (s *Sums) Grow(plans int) {
	s.before = append(s.before, make([]Sum, plans)...)
	s.current = append(s.current, make([]Sum, plans)...)
}

// Add counts a call of the plan with this index that has ended at a time.
func (s *Sums) Add(plan int, at uint64, c *calls.Call, f *Facts) {
	s.last, s.quiet = max(s.last, at), false
	sum := &s.current[plan]
	if len(f.Numbers) > 0 || f.Key != nil {
		sum.addMore(c, f)
	}
	sum.Add(c, f.Errno)
}

// All returns the sums of all calls, one for each plan, the time at which they begin
// and the time of the latest call.
func (s *Sums) All() (sums []Sum, start, last uint64) {
	sums = make([]Sum, len(s.before))
	for i := range sums {
		sums[i].Merge(&s.before[i])
		sums[i].Merge(&s.current[i])
	}
	return sums, s.start, s.last
}

// Interval returns the sums of the current interval, one for each plan, and the time at
// which it began. The sums are valid until Next.
func (s *Sums) Interval() (sums []Sum, since uint64) { return s.current, s.since }

// Next ends the current interval and begins another at now.
func (s *Sums) Next(now uint64) {
	for i := range s.current {
		s.before[i].Merge(&s.current[i])
		s.current[i].Reset()
	}
	s.since, s.quiet = now, true
}

// CatchUp is for a recording, where time advances only with the calls. If now is past
// the end of the current interval, which is length ns long, it calls over, which must
// call Next. It skips intervals without calls, since there may be many.
func (s *Sums) CatchUp(now, length uint64, over func(end uint64)) {
	if now < s.since || now-s.since < length {
		return
	}
	if !s.quiet {
		over(s.since + length)
	}
	s.since = now - (now-s.since)%length
}
