package tracefs

import (
	"errors"
	"time"
)

// Count enables the session's probes without recording anything and counts their hits.
// It stops after most hits and misses in all, or after d. took is how long it counted.
func (s *Session) Count(d time.Duration, most uint64) (hits map[string]Hits, took time.Duration, err error) {
	if err := s.count(true); err != nil {
		return nil, 0, errors.Join(err, s.count(false))
	}
	const step = 20 * time.Millisecond
	start := time.Now()
	for all := uint64(0); err == nil && all < most && took < d; took = time.Since(start) {
		time.Sleep(min(step, d-took))
		all = 0
		hits, err = s.Profile()
		for _, h := range hits {
			all += h.Hits + h.Misses
		}
	}
	return hits, took, errors.Join(err, s.count(false))
}

// count turns counting on or off.
func (s *Session) count(on bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if !on {
		return s.set(s.eventPath("", "enable"), "0")
	}
	if err := s.set(s.path("tracing_on"), "0"); err != nil {
		return err
	}
	return s.set(s.eventPath("", "enable"), "1")
}
