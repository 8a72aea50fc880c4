package tracefs

import (
	"os"
	"path/filepath"
	"strings"
)

// Switches are the files, with absolute paths, by which anybody may stop a
// session that runs. A write to them is seen by inotify(7); they must not be
// watched any more when the session is closed.
func (s *Session) Switches() []string {
	return []string{s.absolute(s.path("tracing_on")), s.absolute(s.eventPath("", "enable"))}
}

// SwitchedOff names the switch by which somebody else has stopped the session,
// "" if nobody has. After Stop and Close there is nothing to tell.
func (s *Session) SwitchedOff() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.enabled || s.stopped {
		return ""
	}
	for _, file := range s.Switches() {
		// "X" is some events on and some off, as it is where filters were refused.
		b, err := os.ReadFile(file)
		on := strings.TrimSpace(string(b))
		if err == nil && (on == "0" || on == "X" && len(s.refused) == 0) {
			return file
		}
	}
	return ""
}

func (s *Session) absolute(name string) string { return filepath.Join(s.fs.dir, name) }
