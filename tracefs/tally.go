package tracefs

import (
	"sync"
	"sync/atomic"
)

// A Tally counts the records that were read of each event.
type Tally struct {
	base int             // the lowest ID of the events that the session began with
	n    []atomic.Uint64 // by ID - base

	next atomic.Pointer[func()] // see Await

	mu   sync.Mutex
	more map[int]uint64 // other IDs: the kernel's own events, and events that were defined again
}

// Tally returns the session's tally. The events must be known: see Formats.
func (s *Session) Tally() *Tally {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tally != nil {
		return s.tally
	}
	s.tally = &Tally{more: map[int]uint64{}}
	low, high := 1<<16, -1
	for _, id := range s.expected.ids {
		low, high = min(low, id), max(high, id)
	}
	if high >= low {
		s.tally.base, s.tally.n = low, make([]atomic.Uint64, high-low+1)
	}
	return s.tally
}

// Await has f called when records are counted next, once.
func (t *Tally) Await(f func()) { t.next.Store(&f) }

// Add counts n records of the event with this ID.
func (t *Tally) Add(id int, n uint64) {
	if f := t.next.Load(); f != nil && n > 0 && t.next.CompareAndSwap(f, nil) {
		(*f)()
	}
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

// All returns how many records of all events were read, including events that are not
// the session's.
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

// Of returns how many records of an event were read.
func (t *Tally) Of(id int) uint64 {
	if i := id - t.base; i >= 0 && i < len(t.n) {
		return t.n[i].Load()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.more[id]
}
