package tracefs

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// explainBusy adds to an error about probes that are in use who uses them, as far as tracefs
// shows it: another program has switched them on, or given them triggers, in its own instance
// or in the first one. perf's use shows nowhere.
func (s *Session) explainBusy(err error) error {
	if !errors.Is(err, unix.EBUSY) {
		return err
	}
	places := []string{"."}
	names, _ := s.fs.names("instances")
	for _, name := range names {
		places = append(places, path.Join("instances", name))
	}
	for _, place := range places {
		group := path.Join(place, "events", s.name)
		if place == s.dir {
			continue // our own use ends with the instance
		}
		events, _ := s.fs.names(group)
		for _, event := range events {
			// A * stands for triggers: see event_enable_read in kernel/trace/trace_events.c.
			switch on := s.content(path.Join(group, event, "enable")); {
			case strings.HasPrefix(on, "1"):
				return s.inUse(err, "switched on its probes", path.Join(group, "enable"), "echo 0 > ")
			case strings.HasSuffix(on, "*"):
				file := path.Join(group, event, "trigger")
				return s.inUse(err, "given its probes triggers", file, endTrigger(s.content(file)))
			}
		}
	}
	return err
}

// endTrigger returns the start of a command that removes the first of the triggers that a
// file lists, such as "traceon:count=5" and "hist:keys=common_pid:vals=hitcount [active]".
// Only histograms go when the file is truncated: event_trigger_regex_open in
// kernel/trace/trace_events_trigger.c.
func endTrigger(list string) string {
	first, _, _ := strings.Cut(list, "\n")
	if strings.Contains(first, "hist:") {
		return ": > "
	}
	for _, end := range []string{" if ", ":count=", ":unlimited"} {
		first, _, _ = strings.Cut(first, end)
	}
	return "echo '!" + first + "' > "
}

func (s *Session) inUse(err error, how, file, end string) error {
	file = s.absolute(file)
	return &HostError{Err: err,
		Msg:  fmt.Sprintf("%s cannot be removed: another program has %s: %s", s.name, how, file),
		Hint: "run " + end + file + " && tsnoop clean"}
}
