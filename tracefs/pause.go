package tracefs

import (
	"errors"
	"iter"
	"slices"
)

// Pause disables events while the session runs, the latest defined first. Their probes
// stay until Close, since to remove one that was enabled would also empty the buffers of
// the others. An event that cannot be disabled stays enabled and is in the error.
func (s *Session) Pause(events []string) error {
	return s.turn(slices.Backward(s.ofThese(events)), func(event string) error {
		if !s.expected.away[event] {
			if err := s.set(s.eventPath(event, "enable"), "0"); err != nil {
				return err
			}
		}
		s.expected.paused[event] = true
		return nil
	})
}

// Resume enables events that were paused or defined after Enable, in the order of their
// definition.
func (s *Session) Resume(events []string) error {
	return s.turn(slices.All(s.ofThese(events)), func(event string) error {
		if _, bad := s.refused[event]; bad || !s.expected.paused[event] {
			return nil
		}
		delete(s.expected.paused, event)
		if s.stopped || s.expected.away[event] {
			return nil // Enable will do it, or Back
		}
		err := s.set(s.eventPath(event, "enable"), "1")
		if err != nil {
			s.expected.paused[event] = true
		}
		return err
	})
}

// ofThese returns those of the session's events that are among events, in the order of
// definition.
func (s *Session) ofThese(events []string) []string {
	wanted := make(map[string]bool, len(events))
	for _, event := range events {
		wanted[event] = true
	}
	return slices.DeleteFunc(s.Events(), func(event string) bool { return !wanted[event] })
}

// turn calls do for each of the events.
func (s *Session) turn(events iter.Seq2[int, string], do func(event string) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	var errs []error
	for _, event := range events {
		errs = append(errs, do(event))
	}
	return errors.Join(errs...)
}
