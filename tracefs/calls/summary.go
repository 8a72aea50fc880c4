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

	errors map[int]uint64 // by number
}

// Add counts a call that has returned that error, 0 if it was none.
func (s *Summary) Add(c *Call, errno int) {
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
