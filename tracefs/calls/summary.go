package calls

import (
	"cmp"
	"slices"
)

// maxErrno is the largest error number of the kernel (include/linux/err.h).
const maxErrno = 4095

// A Summary adds up calls, in memory that does not grow with them. The zero
// value is one of no calls.
type Summary struct {
	Calls      uint64
	Orphans    uint64    // calls whose entry was not seen though it was asked for
	Unfinished uint64    // calls whose return was not
	Durations  Histogram // of the calls of which both sides were seen
	Numbers    []Numbers // of each of Facts.Numbers
	Keys       *Keys     // the same by Facts.Key; nil if no call had one

	errors map[int]uint64 // by number
}

// Facts are what is known of a call that is added up.
type Facts struct {
	Errno   int      // the error that it has returned, 0 if that was none
	Key     []byte   // what it is added up by, too; nil for nothing. It is not kept.
	Numbers []Number // as many of each call
}

// Add counts a call that has returned that error, 0 if it was none.
func (s *Summary) Add(c *Call, errno int) { s.AddFacts(c, &Facts{Errno: errno}) }

// AddFacts counts a call.
func (s *Summary) AddFacts(c *Call, f *Facts) {
	s.add(c, f)
	if f.Key == nil {
		return
	}
	if s.Keys == nil {
		s.Keys = &Keys{}
	}
	s.Keys.sum(f.Key).add(c, f)
}

func (s *Summary) add(c *Call, f *Facts) {
	s.Calls++
	switch {
	case c.Orphan:
		s.Orphans++
	case c.Unfinished:
		s.Unfinished++
	case c.Entry != nil && c.Return != nil:
		s.Durations.Add(c.Duration)
	}
	if f.Errno > 0 && f.Errno <= maxErrno {
		s.fail(f.Errno, 1)
	}
	if len(s.Numbers) < len(f.Numbers) {
		s.grow(len(f.Numbers))
	}
	for i := range f.Numbers {
		s.Numbers[i].Add(f.Numbers[i])
	}
}

// grow has so many Numbers.
func (s *Summary) grow(numbers int) {
	for len(s.Numbers) < numbers {
		s.Numbers = append(s.Numbers, Numbers{})
	}
}

func (s *Summary) fail(errno int, n uint64) {
	if s.errors == nil {
		s.errors = map[int]uint64{}
	}
	s.errors[errno] += n
}

// Merge counts the calls that o has counted too.
func (s *Summary) Merge(o *Summary) {
	s.Calls += o.Calls
	s.Orphans += o.Orphans
	s.Unfinished += o.Unfinished
	s.Durations.Merge(&o.Durations)
	for errno, n := range o.errors {
		s.fail(errno, n)
	}
	s.grow(len(o.Numbers))
	for i := range o.Numbers {
		s.Numbers[i].Merge(&o.Numbers[i])
	}
	if o.Keys != nil {
		if s.Keys == nil {
			s.Keys = &Keys{}
		}
		s.Keys.Merge(o.Keys)
	}
}

// Reset makes s one of no calls again.
func (s *Summary) Reset() {
	errors := s.errors
	clear(errors)
	*s = Summary{errors: errors}
}

// An ErrorCount is how many calls returned an error.
type ErrorCount struct {
	Errno int // positive: 2 is ENOENT
	Calls uint64
}

// Errors are the errors that calls returned, the most frequent first.
func (s *Summary) Errors() []ErrorCount {
	var all []ErrorCount
	for errno, n := range s.errors {
		all = append(all, ErrorCount{errno, n})
	}
	slices.SortFunc(all, func(a, b ErrorCount) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Errno, b.Errno))
	})
	return all
}
