package tracefs

import (
	"fmt"
	"slices"
	"strings"
)

// Besides the events that it defines, a session can have events that the kernel has by
// itself. Their names here are "SYSTEM/EVENT". They are enabled and filtered in the session's
// instance only, and nobody can remove them but the kernel, with their module.

// isOwn reports whether an event is one that the session defines.
func isOwn(event string) bool { return !strings.Contains(event, "/") }

// Use adds an event of another system, "SYSTEM/EVENT", to the session.
func (s *Session) Use(event string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return ErrClosed
	case isOwn(event):
		return fmt.Errorf("event %s names no system", event)
	case !s.fs.Exists(s.eventPath(event, "enable")):
		return &HostError{Msg: fmt.Sprintf("there is no event %s", event), Hint: "load its module first"}
	}
	s.events = append(s.events, event)
	if s.enabled {
		s.expected.paused[event] = true // until Resume enables it
	}
	return nil
}

// used returns the events of other systems, and whether there are also events of the
// session's group.
func (s *Session) used() (events []string, own bool) {
	for _, e := range s.events {
		if own = own || isOwn(e); !isOwn(e) {
			events = append(events, e)
		}
	}
	return slices.Compact(events), own
}

// forget undoes Use for an event, which is not enabled.
func (s *Session) forget(event string) error {
	if s.expected.filters[event] == "" {
		return nil
	}
	return s.set(s.eventPath(event, "filter"), "0")
}

// EventOf returns the event that a file of the instance belongs to, and what of it the file
// is: "filter".
func (s *Session) EventOf(file string) (event, what string, ok bool) {
	rest, below := strings.CutPrefix(file, "events/")
	system, rest, deep := strings.Cut(rest, "/")
	if !below || !deep {
		return "", "", false
	}
	event, what, _ = strings.Cut(rest, "/")
	if system == s.name {
		return event, what, true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	event = system + "/" + event
	return event, what, slices.Contains(s.events, event)
}
