package tracefs

import (
	"context"
	"slices"
)

// disabled returns the events that others have disabled, except those that eventChanges
// returns. It looks at other systems' events only if they are given.
func (s *Session) disabled(events []string) (changes []*Change) {
	used, own := s.used()
	used = slices.DeleteFunc(used, func(e string) bool { return !slices.Contains(events, e) })
	paused := len(s.expected.paused)
	for e := range s.expected.paused {
		if !isOwn(e) {
			paused--
		}
	}
	group := s.eventPath("", "enable")
	switch on := s.content(group); {
	case !own || paused >= len(s.expected.definitions): // all are, on purpose
	case on == "0" && len(used) > 0:
		used = slices.Clone(s.events)
	case on == "0":
		return []*Change{{What: "the probes", File: s.absolute(group), Before: "1", After: "0", Silent: true,
			restore: func() error { return s.enableAll(context.Background()) }}}
	case on == "1" || on == "":
	default:
		used = slices.Clone(s.events)
	}
	for _, e := range used {
		if s.isOff(e) {
			continue
		}
		file := s.eventPath(e, "enable")
		if s.content(file) == "0" {
			changes = append(changes, &Change{What: "the probe", File: s.absolute(file), Event: e, Before: "1", After: "0",
				restore: func() error { return s.set(file, "1") }})
		}
	}
	return changes
}
