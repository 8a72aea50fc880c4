package tracefs

import (
	"cmp"
	"context"
	"errors"
)

// mostAtOnce is how many events are enabled with one write, which nothing can interrupt. Each
// takes the kernel up to 30 ms, also if it is enabled alone: it goes through the entries of all
// functions that it can trace (ftrace_run_modify_code of kernel/trace/ftrace.c).
const mostAtOnce = 32

// enableAll enables the events that should be enabled. The kernel enables those of a
// group one by one, in an order of its own, which takes 100 ms for two events of a busy
// machine. Nothing is recorded meanwhile: an entry that is enabled before its return
// would be recorded without it.
func (s *Session) enableAll(ctx context.Context) error {
	on := s.path("tracing_on")
	if err := s.set(on, "0"); err != nil {
		return err
	}
	if err := s.enableEach(ctx); err != nil {
		return err
	}
	if err := s.set(on, "1"); err != nil {
		return errors.Join(err, s.stop())
	}
	return nil
}

// enableEach does so by the group's file, or one by one if some are to stay disabled, or if
// they are many, until ctx is done.
func (s *Session) enableEach(ctx context.Context) error {
	events := s.events
	if len(s.events) <= mostAtOnce && len(s.refused)+len(s.expected.paused)+len(s.expected.away) == 0 {
		var own bool
		if events, own = s.used(); own {
			events = append([]string{""}, events...)
		}
	}
	for i, e := range events {
		if ctx.Err() != nil {
			return cmp.Or(s.stop(), ctx.Err())
		}
		if s.isOff(e) {
			continue
		}
		if err := s.enable(e, len(s.events)-i); err != nil {
			return err
		}
	}
	return nil
}

// enable enables one event, or the whole group if event is "". left is how many are left.
func (s *Session) enable(event string, left int) error {
	s.progress("enabling", left)
	err := s.set(s.eventPath(event, "enable"), "1")
	if err != nil {
		return errors.Join(err, s.stop())
	}
	return nil
}
