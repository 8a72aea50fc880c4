package calls

// Sums add up the calls of some plans: all of them, and those of the current interval.
// Times are in ns on the clock of the events.
type Sums struct {
	before  []Summary // of the intervals that are over
	current []Summary
	start   uint64
	since   uint64 // the current interval
	last    uint64 // the latest time of a call
	quiet   bool   // no call in the current interval
}

// NewSums makes the sums of so many plans, from start on.
func NewSums(plans int, start uint64) *Sums {
	return &Sums{before: make([]Summary, plans), current: make([]Summary, plans), start: start, since: start, last: start, quiet: true}
}

// Grow makes room for so many further plans.
func (s *Sums) Grow(plans int) {
	s.before = append(s.before, make([]Summary, plans)...)
	s.current = append(s.current, make([]Summary, plans)...)
}

// Add counts a call that is over.
func (s *Sums) Add(c *Call, f *Facts) {
	s.last, s.quiet = max(s.last, c.Last().Time), false
	s.current[c.Plan].AddFacts(c, f)
}

// All are the sums of all calls, one of each plan, with the time that they begin at and
// that of the latest call.
func (s *Sums) All() (sums []Summary, start, last uint64) {
	sums = make([]Summary, len(s.before))
	for i := range sums {
		sums[i].Merge(&s.before[i])
		sums[i].Merge(&s.current[i])
	}
	return sums, s.start, s.last
}

// Interval are the sums of the current interval, one of each plan, with the time that
// it has begun at. They are valid until Next.
func (s *Sums) Interval() (sums []Summary, since uint64) { return s.current, s.since }

// Next ends the current interval, and begins another at that time.
func (s *Sums) Next(now uint64) {
	for i := range s.current {
		s.before[i].Merge(&s.current[i])
		s.current[i].Reset()
	}
	s.since, s.quiet = now, true
}

// CatchUp is for a recording, whose time is that of its calls: when now is behind the
// end of the current interval, of that length, it calls over, which is to call Next. Of
// a time without calls there is no interval, for it may be long.
func (s *Sums) CatchUp(now, length uint64, over func(end uint64)) {
	if now < s.since || now-s.since < length {
		return
	}
	if !s.quiet {
		over(s.since + length)
	}
	s.since = now - (now-s.since)%length
}
