package tracefs

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// SetFilter makes the kernel drop the events that do not match. Call it before Enable.
//
// If the kernel refuses a filter, SetFilter returns a *KernelError. The kernel then
// also drops the previous filter and would let everything through, so the event stays
// disabled.
//
// See Documentation/trace/events.rst, "Event filtering".
func (s *Session) SetFilter(event, filter string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if !slices.Contains(s.events, event) {
		return fmt.Errorf("no event %s in %s", event, s.name)
	}
	file := s.eventPath(event, "filter")
	err := error(&KernelError{File: file, Command: filter, Column: -1, Errno: unix.E2BIG,
		Text: fmt.Sprintf("filter of %d characters is longer than %d", len(filter), maxWrite)})
	if len(filter) <= maxWrite {
		err = s.setFilter(file, filter)
	}
	if err == nil {
		s.expected.filters[event] = filter
		delete(s.refused, event)
		return nil
	}
	s.refused[event] = struct{}{}
	delete(s.expected.filters, event)
	return errors.Join(err, s.set(file, "0"), s.set(s.eventPath(event, "enable"), "0"))
}

func (s *Session) setFilter(file, filter string) error {
	err := s.set(file, filter)
	var ke *KernelError
	if !errors.As(err, &ke) || ke.Column >= 0 {
		return err
	}
	// If the log has no entry, the message is in the file itself.
	text, rerr := read(s.fs, file, parseFilterError)
	if rerr == nil && text.Text != "" && text.Command == filter {
		ke.Text, ke.Column = text.Text, text.Column
	}
	return err
}

// parseFilterError parses the content of a filter file after a filter was refused:
//
//	dfd === 1
//	    ^
//	parse_error: Invalid operator
func parseFilterError(r io.Reader) (LogEntry, error) {
	b, err := readFilter(r)
	if err != nil {
		return LogEntry{}, err
	}
	e := LogEntry{Column: -1}
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	if len(lines) < 3 {
		return e, nil
	}
	text, ok := strings.CutPrefix(lines[len(lines)-1], "parse_error: ")
	if !ok {
		return e, nil
	}
	e.Text, e.Command = text, strings.Join(lines[:len(lines)-2], "\n")
	if col := strings.IndexByte(lines[len(lines)-2], '^'); col >= 0 && col <= len(e.Command) {
		e.Column = col
	}
	return e, nil
}
