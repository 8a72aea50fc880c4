package tracefs

import (
	"sync"
	"sync/atomic"
)

// A Tally counts what has been read of each event.
type Tally struct {
	base int             // the first number of the events that the session began with
	n    []atomic.Uint64 // of each from there on

	mu   sync.Mutex
	more map[int]uint64 // of others: the kernel's own, and those defined again
}

// Tally is the session's. The events must be known: see Formats.
func (s *Session) Tally() *Tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tally != nil {
		return s.tally
	}
	s.tally = &Tally{more: map[int]uint64{}}
	low, high := 1<<16, -1
	for _, id := range s.meant.ids {
		low, high = min(low, id), max(high, id)
	}
	if high >= low {
		s.tally.base, s.tally.n = low, make([]atomic.Uint64, high-low+1)
	}
	return s.tally
}

// Add counts n records of an event.
func (t *Tally) Add(id int, n uint64) {
	switch i := id - t.base; {
	case n == 0:
	case i >= 0 && i < len(t.n):
		t.n[i].Add(n)
	default:
		t.mu.Lock()
		t.more[id] += n
		t.mu.Unlock()
	}
}

// All is how many records there have been of all events, those that are not the session's
// included.
func (t *Tally) All() (n uint64) {
	for i := range t.n {
		n += t.n[i].Load()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, more := range t.more {
		n += more
	}
	return n
}

// Of is how many records of an event there have been.
func (t *Tally) Of(id int) uint64 {
	if i := id - t.base; i >= 0 && i < len(t.n) {
		return t.n[i].Load()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.more[id]
}
