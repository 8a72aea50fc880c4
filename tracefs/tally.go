package tracefs

import (
	"maps"
	"sync"
	"sync/atomic"
)

// A Tally counts the records that were read of each event.
type Tally struct {
	base int             // the lowest ID of the events that the session began with
	n    []atomic.Uint64 // by ID - base

	next atomic.Pointer[func()] // see Await

	shared atomic.Pointer[map[int]*Format] // by ID, see Share
	parts  []atomic.Uint64                 // of shared events, by -1 - ID; not in All

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

// Share counts the parts of an event with this ID as well, which are most at most, over all
// events.
func (t *Tally) Share(id int, f *Format, most int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[int]*Format{id: f}
	if old := t.shared.Load(); old != nil {
		maps.Copy(all, *old)
	} else {
		t.parts = make([]atomic.Uint64, most)
	}
	t.shared.Store(&all)
}

// Parts returns the format of an event with this ID if its parts are counted, else nil.
func (t *Tally) Parts(id int) *Format {
	if all := t.shared.Load(); all != nil {
		return (*all)[id]
	}
	return nil
}

// AddPart counts a record of a part of an event.
func (t *Tally) AddPart(part *Format) {
	if i := -1 - part.ID; i >= 0 && i < len(t.parts) {
		t.parts[i].Add(1)
	}
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

// Of returns how many records of an event, or of a part of one, were read.
func (t *Tally) Of(id int) uint64 {
	if i := -1 - id; i >= 0 && i < len(t.parts) {
		return t.parts[i].Load()
	}
	if i := id - t.base; i >= 0 && i < len(t.n) {
		return t.n[i].Load()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.more[id]
}
