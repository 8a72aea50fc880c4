package tracefs

import (
	"errors"
	"slices"
)

// Pause disables events while the session runs. Their probes stay until Close, since to
// remove one that was enabled would also empty the buffers of the others. An event that
// cannot be disabled stays enabled and is in the error.
func (s *Session) Pause(events []string) error {
	return s.turn(events, func(event string) error {
		if err := s.set(s.eventPath(event, "enable"), "0"); err != nil {
			return err
		}
		s.meant.paused[event] = true
		return nil
	})
}

// Resume enables events that were paused or defined after Enable.
func (s *Session) Resume(events []string) error {
	return s.turn(events, func(event string) error {
		if _, bad := s.refused[event]; bad || !s.meant.paused[event] {
			return nil
		}
		delete(s.meant.paused, event)
		if s.stopped {
			return nil // Enable will do it
		}
		err := s.set(s.eventPath(event, "enable"), "1")
		if err != nil {
			s.meant.paused[event] = true
		}
		return err
	})
}

// turn calls do for each of the events that the session has.
func (s *Session) turn(events []string, do func(event string) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	var errs []error
	for _, event := range events {
		if slices.Contains(s.events, event) {
			errs = append(errs, do(event))
		}
	}
	return errors.Join(errs...)
}
