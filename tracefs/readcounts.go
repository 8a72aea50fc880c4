package tracefs

import (
	"sync"
	"sync/atomic"
)

// A ReadCount counts the events that this process has read from one CPU's buffer. Events
// that the kernel counts as read beyond that were read by somebody else.
type ReadCount struct {
	turn   atomic.Uint64 // odd while a read is under way
	events atomic.Uint64

	base   uint64 // those of events that were read before the buffer was last emptied
	stolen uint64 // events that others read before that
	last   uint64 // events that others have read since then
	reset  bool   // base is not known: see Recount
}

// Begin notes that a read begins.
func (t *ReadCount) Begin() { t.turn.Add(1) }

// End notes that a read has ended, and has returned n events.
func (t *ReadCount) End(n uint64) { t.events.Add(n); t.turn.Add(1) }

// readCounts holds the ReadCount of each CPU of a session.
type readCounts struct {
	mu  sync.Mutex
	cpu map[int]*ReadCount
}

// ReadCount returns the count of one CPU.
func (s *Session) ReadCount(cpu int) *ReadCount {
	s.readCounts.mu.Lock()
	defer s.readCounts.mu.Unlock()
	if s.readCounts.cpu == nil {
		s.readCounts.cpu = map[int]*ReadCount{}
	}
	t := s.readCounts.cpu[cpu]
	if t == nil {
		t = &ReadCount{}
		s.readCounts.cpu[cpu] = t
	}
	return t
}

// A Balance compares the kernel's counts of a session's buffers with its own.
type Balance struct {
	Seen    uint64 // events that were read here, can still be read, or are counted as lost
	Unread  uint64 // those of Seen that are in the buffers
	Lost    uint64 // those of Seen that are lost
	Stolen  uint64 // events that somebody else has read
	Emptied bool   // a buffer was emptied since the last Balance
	Still   bool   // nothing was being read meanwhile: Seen is exact
	Sure    bool   // and all reads of this process are known: Stolen is exact
}

// Recount restarts the count after the buffers were emptied or replaced: what the
// kernel counts as read by the next Balance is taken to be read here. With stolen, what
// others seem to have read until now stays counted as stolen. Without it, that was only a
// difference between the old and the new buffers, and is dropped.
func (s *Session) Recount(stolen bool) {
	s.readCounts.mu.Lock()
	defer s.readCounts.mu.Unlock()
	for _, t := range s.readCounts.cpu {
		if stolen {
			t.stolen += t.last
		}
		t.last, t.reset = 0, true
	}
}

// Balance adds up all CPUs. For a CPU whose buffer is being read only Seen is known, and
// lacks what is on its way.
func (s *Session) Balance() (Balance, error) {
	s.readCounts.mu.Lock()
	defer s.readCounts.mu.Unlock()
	before := map[int]uint64{}
	for cpu, t := range s.readCounts.cpu {
		before[cpu] = t.turn.Load()
	}
	all, err := s.Stats()
	b := Balance{Still: err == nil, Sure: err == nil && len(before) > 0}
	for i := range all {
		st := &all[i]
		lost := st.Overrun + st.CommitOverrun + st.Dropped
		b.Seen += st.Entries + lost
		b.Unread += st.Entries
		b.Lost += lost
		t := s.readCounts.cpu[st.CPU]
		if t == nil {
			b.Seen += st.Read
			continue
		}
		own := t.events.Load()
		b.Seen += own
		if turn := t.turn.Load(); turn%2 == 1 || turn != before[st.CPU] {
			b.Still, b.Sure = false, false
			continue
		}
		if t.reset { // both counts are from the same moment now
			t.base, t.reset = own-st.Read, false
		}
		since := own - t.base
		if st.Read < since { // the kernel has reset its count
			b.Emptied = true
			t.stolen += t.last
			t.last, since = 0, st.Read
			t.base = own - since
		}
		t.last = st.Read - since
		b.Stolen += t.stolen + t.last
	}
	return b, err
}
