package tracefs

import (
	"slices"
	"time"
)

// The kernel removes the events of a module when that is unloaded, and has them again, off and
// perhaps with other IDs, when it is loaded. If they were enabled, it empties the buffers in
// between: trace_module_remove_events in kernel/trace/trace_events.c.

// Away says that the kernel has removed an event of another system.
func (s *Session) Away(event string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if event != "" {
		s.expected.away[event] = true
		s.expected.lost = time.Now()
	}
}

// LostEvents reports whether events of other systems are gone, or were until within some time.
func (s *Session) LostEvents(within time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	used, _ := s.used()
	return time.Since(s.expected.lost) < within || slices.ContainsFunc(used, func(e string) bool { return !s.HasEvent(e) })
}

// HasEvent reports whether an event is there.
func (s *Session) HasEvent(event string) bool { return s.fs.Exists(s.eventPath(event, "enable")) }

// Renewed reports whether an event is off that should be on, as one is whose module was
// unloaded and loaded.
func (s *Session) Renewed(event string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return event != "" && s.enabled && !s.stopped && !s.isOff(event) && s.content(s.eventPath(event, "enable")) == "0"
}

// Back sets up an event of another system that is there again, and returns its ID. fits
// reports why the event cannot be used with an ID; taken says that another event had it.
func (s *Session) Back(event string, fits func(id int, taken bool) error) (id int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.stopped || !s.enabled {
		return 0, ErrClosed
	}
	id, _ = s.idOf(event)
	if err := fits(id, s.isTaken(id, event)); err != nil {
		return id, err
	}
	delete(s.expected.away, event)
	s.expected.lost = time.Now()
	if s.expected.paused[event] {
		s.expected.ids[event] = id
		return id, s.filterAgain(event)
	}
	return id, s.redefine(event)
}

// isOff reports whether an event is meant to be off now.
func (s *Session) isOff(event string) bool {
	_, bad := s.refused[event]
	return bad || s.expected.paused[event] || s.expected.away[event]
}

// filterAgain sets the filter again that an event should have.
func (s *Session) filterAgain(event string) error {
	if filter := s.expected.filters[event]; filter != "" {
		return s.set(s.eventPath(event, "filter"), filter)
	}
	return nil
}

// isTaken reports whether another of the session's events than one has an ID.
func (s *Session) isTaken(id int, by string) bool {
	for event, other := range s.expected.ids {
		if other == id && event != by {
			return true
		}
	}
	return false
}
