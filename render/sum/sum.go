package sum

import (
	"cmp"
	"sort"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// maxErrno is the largest errno of the kernel (include/linux/err.h).
const maxErrno = 4095

// A Sum aggregates calls, in memory that does not grow with them. The zero value is
// a Sum of no calls.
type Sum struct {
	Calls      uint64
	Orphans    uint64    // calls whose entry was asked for but not seen
	Unfinished uint64    // calls whose return was asked for but not seen
	Durations  Histogram // durations of calls with both sides
	Numbers    []Numbers // one for each of Facts.Numbers
	Keys       *Keys     // the same by Facts.Key; nil if no call had one

	errors map[int]uint64 // calls by errno
}

// Facts says what is known of a call that is counted.
type Facts struct {
	Errno   int      // errno that the call returned, 0 if none
	Key     []byte   // key to aggregate by as well; nil for none; not retained
	Numbers []Number // the same number of them for every call
}

// Add counts a call that returned errno, which is 0 if there was no error.
func (s *Sum) Add(c *calls.Call, errno int) {
	s.Calls++
	switch {
	case c.Orphan:
		s.Orphans++
	case c.Unfinished:
		s.Unfinished++
	case c.Entry != nil && c.Return != nil:
		s.Durations.Add(c.Duration)
	}
	if errno > 0 && errno <= maxErrno {
		s.fail(errno, 1)
	}
}

// addMore adds the numbers and the key of a call that Add counts.
func (s *Sum) addMore(c *calls.Call, f *Facts) {
	if len(f.Numbers) > 0 {
		s.addNumbers(f.Numbers)
	}
	if f.Key != nil {
		if s.Keys == nil {
			s.Keys = &Keys{}
		}
		of := s.Keys.sum(f.Key)
		of.Add(c, f.Errno)
		of.addNumbers(f.Numbers)
	}
}

func (s *Sum) addNumbers(numbers []Number) {
	s.grow(len(numbers))
	for i, n := range numbers {
		s.Numbers[i].Add(n)
	}
}

// grow extends s.Numbers to a length of numbers.
func (s *Sum) grow(numbers int) {
	for len(s.Numbers) < numbers {
		s.Numbers = append(s.Numbers, Numbers{})
	}
}

func (s *Sum) fail(errno int, n uint64) {
	if s.errors == nil {
		s.errors = map[int]uint64{}
	}
	s.errors[errno] += n
}

// Merge adds the calls that o has counted.
func (s *Sum) Merge(o *Sum) {
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

// Reset makes s a Sum of no calls again.
func (s *Sum) Reset() {
	errors := s.errors
	clear(errors)
	*s = Sum{errors: errors}
}

// An ErrorCount is how many calls returned an error.
type ErrorCount struct {
	Errno int // positive: 2 is ENOENT
	Calls uint64
}

// Errors returns the errors that calls returned, the most frequent first.
func (s *Sum) Errors() []ErrorCount { return errorCounts(s.errors) }

// errorCounts returns counts by errno, the highest first.
func errorCounts(errors map[int]uint64) []ErrorCount {
	var all []ErrorCount
	for errno, n := range errors {
		all = append(all, ErrorCount{errno, n})
	}
	sort.Slice(all, func(i, j int) bool {
		return cmp.Or(cmp.Compare(all[j].Calls, all[i].Calls), cmp.Compare(all[i].Errno, all[j].Errno)) < 0
	})
	return all
}
