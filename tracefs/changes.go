package tracefs

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Change is something that another program has done to a running session, so that it
// may record less than it was set up for, or something else.
type Change struct {
	What   string // what was changed: "tracing", "the filter"
	File   string // the file, as an absolute path
	Event  string // the event; "" for the whole session
	Before string // what should be in the file
	After  string // what is in the file now; "" if the file is gone
	Cost   string // what the change itself has caused, "" if nothing

	Silent  bool // nothing is recorded any more
	Counted bool // the probes still count calls: see Profile
	Shared  bool // the file is shared by the whole host: Restore leaves it alone

	restore func() error
}

// Gone reports whether the event does not exist any more.
func (c *Change) Gone() bool { return c.After == "" && c.Event != "" }

// Restore undoes the change. Changes does not report it after that.
func (s *Session) Restore(c *Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.enabled {
		return ErrClosed
	}
	return c.restore()
}

// An expected holds the state that a session should have.
type expected struct {
	settings    []setting
	definitions map[string][]string // by event
	filters     map[string]string
	ids         map[string]int
	paused      map[string]bool // events that were disabled on purpose
	away        map[string]bool // events that are gone with their modules
	lost        time.Time       // when one of these was last noticed, or was there again
}

func newExpected() expected {
	return expected{definitions: map[string][]string{}, filters: map[string]string{}, ids: map[string]int{}, paused: map[string]bool{}, away: map[string]bool{}}
}

// A setting is a part of the instance that nobody else should change.
type setting struct {
	what    string
	cost    string
	file    string // relative to the mount
	want    string
	read    func(content string) string // extracts the part of the file that matters
	restore func() error
}

// expectSettings notes the current content of the session's files as what it should be.
func (s *Session) expectSettings() {
	s.expected.settings = s.expected.settings[:0]
	for _, g := range []setting{
		{what: "the clock", file: "trace_clock", read: bracketed, cost: "that has emptied the buffers"},
		{what: "the size of the buffers", file: "buffer_size_kb", read: firstWord},
		{what: "the size of a page", file: "buffer_subbuf_size_kb", cost: "that has emptied the buffers"},
		{what: "buffer_percent", file: "buffer_percent"},
		{what: "the mask of CPUs", file: "tracing_cpumask"},
		{what: "the tracer", file: "current_tracer", cost: "its records take up the room of these"},
	} {
		g.file = s.path(g.file)
		s.expectFile(g)
	}
	s.expectOptions()
}

func (s *Session) expectFile(g setting) {
	if g.read == nil {
		g.read = strings.TrimSpace
	}
	b, err := s.fs.ReadValue(g.file)
	if err != nil {
		return // older kernels have no such file
	}
	g.want = g.read(string(b))
	if g.restore == nil {
		g.restore = func() error { return s.set(g.file, g.want) }
	}
	s.expected.settings = append(s.expected.settings, g)
}

// expectOptions notes the options that change the records or the text.
func (s *Session) expectOptions() {
	file := s.path("trace_options")
	var want []string
	s.expectFile(setting{what: "the options", file: file,
		read: func(text string) string {
			now := strings.Fields(text)
			if want == nil {
				want = slices.Clone(now)
			}
			now = slices.DeleteFunc(now, func(o string) bool { return slices.Contains(want, o) })
			return strings.Join(now, " ")
		},
		restore: func() error {
			b, err := s.fs.ReadValue(file)
			if err != nil {
				return err
			}
			for _, o := range strings.Fields(string(b)) {
				if slices.Contains(want, o) {
					continue
				}
				if err := s.set(file, invert(o)); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// invert turns "stacktrace" into "nostacktrace" and vice versa.
func invert(option string) string {
	if on, isOff := strings.CutPrefix(option, "no"); isOff {
		return on
	}
	return "no" + option
}

// eventChanges returns what others have changed of one event.
func (s *Session) eventChanges(event string) (changes []*Change) {
	if s.expected.away[event] {
		return nil
	}
	if !s.isOff(event) {
		// A trigger of another event has enabled it softly, and it records nothing. The
		// group's enable file does not show this.
		if enable := s.eventPath(event, "enable"); s.content(enable) == "0*" {
			changes = append(changes, &Change{What: "the probe", File: s.absolute(enable), Event: event, Before: "1", After: "0", Counted: true,
				restore: func() error { return s.set(enable, "1") }})
		}
	}
	want := s.expected.filters[event]
	if want == "" {
		want = "none"
	}
	filter, trigger := s.eventPath(event, "filter"), s.eventPath(event, "trigger")
	if is := s.content(filter); is != "" && is != want {
		changes = append(changes, &Change{What: "the filter", File: s.absolute(filter), Event: event, Before: want, After: is, Counted: true,
			restore: func() error { return s.set(filter, cmp.Or(s.expected.filters[event], "0")) }})
	}
	if is := strings.Join(s.triggers(trigger), "; "); is != "" {
		changes = append(changes, &Change{What: "the triggers", File: s.absolute(trigger), Event: event, Before: "none", After: is, Counted: true,
			restore: func() error { return s.removeTriggers(event) }})
	}
	return changes
}

// triggers returns the triggers that a trigger file lists, without the state of histograms.
func (s *Session) triggers(file string) (set []string) {
	text, _ := s.fs.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), " [")
		if line != "" && line[0] != '#' {
			set = append(set, line)
		}
	}
	return set
}

// removeTriggers removes the triggers that others have set on an event of ours.
func (s *Session) removeTriggers(event string) error {
	file := s.eventPath(event, "trigger")
	for _, t := range s.triggers(file) {
		if err := s.set(file, "!"+t); err != nil {
			return err
		}
	}
	return nil
}

// bracketed returns the word in brackets: "mono" of "local [mono] boot".
func bracketed(text string) string {
	_, text, _ = strings.Cut(text, "[")
	text, _, _ = strings.Cut(text, "]")
	return text
}

// firstWord returns what is before the first blank: "7" of "7 (expanded: 1408)".
func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

// switches returns the absolute paths of the files that can stop all probes of the
// machine.
func (s *Session) switches() []string {
	return []string{"/sys/kernel/debug/kprobes/enabled", ftraceEnabled}
}

const ftraceEnabled = "/proc/sys/kernel/ftrace_enabled"

// kprobesOnFtrace reports whether probes at function entry use ftrace. They do on x86,
// but not on arm64. It returns true if it cannot find out.
func kprobesOnFtrace() bool {
	b, err := os.ReadFile("/sys/kernel/debug/kprobes/list")
	return err != nil || bytes.Contains(b, []byte("[FTRACE]"))
}

// Changes returns what others have changed of a running session and of these events.
// After Stop or Close it returns nothing.
func (s *Session) Changes(events []string) (changes []*Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || !s.enabled || s.stopped {
		return nil
	}
	for _, file := range s.switches() {
		b, err := os.ReadFile(file)
		if err == nil && strings.TrimSpace(string(b)) == "0" && (file != ftraceEnabled || kprobesOnFtrace()) {
			changes = append(changes, &Change{What: "all probes of this host", File: file, Before: "1", After: "0", Silent: true, Shared: true})
		}
	}
	if on := s.path("tracing_on"); s.content(on) == "0" {
		changes = append(changes, &Change{What: "tracing", File: s.absolute(on), Before: "1", After: "0", Silent: true, Counted: true,
			restore: func() error { return s.set(on, "1") }})
	}
	for i := range s.expected.settings {
		g := &s.expected.settings[i]
		text, ok := s.look(g.file)
		if is := g.read(text); ok && is != g.want {
			changes = append(changes, &Change{What: g.what, File: s.absolute(g.file), Before: g.want, After: is, Cost: g.cost, Counted: true, restore: g.restore})
		}
	}
	if _, own := s.used(); own && !s.fs.Exists(s.eventPath("", "enable")) {
		events = s.events
	}
	gone := s.gone(events)
	changes = append(append(changes, gone...), s.disabled(events)...)
	for _, e := range events {
		if !slices.ContainsFunc(gone, func(c *Change) bool { return c.Event == e }) {
			changes = append(changes, s.eventChanges(e)...)
		}
	}
	return changes
}

// Records reports whether events are recorded now. While another program switches them
// on or off, it waits.
func (s *Session) Records(events []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range events {
		if on := s.content(s.eventPath(e, "enable")); !strings.HasPrefix(on, "1") {
			return false
		}
	}
	return s.content(s.path("tracing_on")) == "1"
}

// content returns the value that a file of the mount holds, "" if it cannot be read.
func (s *Session) content(file string) string {
	text, _ := s.look(file)
	return text
}

// look returns the value that a file holds and whether that is known. It is known that a file
// does not exist; a file that cannot be read for another reason need not have been
// changed.
func (s *Session) look(file string) (text string, ok bool) {
	b, err := s.fs.ReadValue(file)
	if err != nil {
		return "", errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENODEV)
	}
	return strings.TrimSpace(string(b)), true
}

// gone returns the events that others have removed or defined again.
func (s *Session) gone(events []string) (changes []*Change) {
	for _, e := range slices.Compact(slices.Clone(events)) {
		want, known := s.expected.ids[e]
		if !known || s.expected.paused[e] || !isOwn(e) {
			continue // just defined, or paused, or the kernel has removed it with its module
		}
		switch id, ok := s.idOf(e); {
		case id == want || !ok:
			continue
		case id == 0 && s.fs.Exists(s.eventPath(e, "enable")): // the kernel has no id files
			continue
		}
		changes = append(changes, &Change{What: "the probe", File: s.absolute(s.files[e]), Event: e, Before: "there",
			restore: func() error { return s.redefine(e) }})
	}
	return changes
}

// idOf returns the ID of an event, 0 if there is no such event. ok is false if that
// cannot be found out.
func (s *Session) idOf(event string) (id int, ok bool) {
	text, ok := s.look(s.eventPath(event, "id"))
	id, err := strconv.Atoi(text)
	if err != nil {
		return 0, ok
	}
	return id, true
}

// learnIDs notes the IDs of the session's events.
func (s *Session) learnIDs(formats map[string]*Format) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for event, f := range formats {
		s.expected.ids[event] = f.ID
	}
}

// redefine defines an event again that others have removed, or sets up one of another system
// that has come back.
func (s *Session) redefine(event string) error {
	if isOwn(event) && s.fs.Exists(s.eventPath(event, "enable")) { // somebody else's, with our name
		if err := errors.Join(s.set(s.eventPath(event, "enable"), "0"), s.removeProbe(event)); err != nil {
			return err
		}
	}
	for _, def := range s.expected.definitions[event] {
		s.log("echo %s >> %s", quote(def), s.files[event])
		if err := s.probes.of(s.files[event]).change(s.fs, def); err != nil {
			return err
		}
	}
	if err := s.filterAgain(event); err != nil {
		return err
	}
	if id, ok := s.idOf(event); ok {
		s.expected.ids[event] = id
	}
	return s.set(s.eventPath(event, "enable"), "1")
}

// ID returns the kernel's ID of an event, or 0 if there is no such event. It changes
// when Restore defines the event again.
func (s *Session) ID(event string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.expected.ids[event]
}

// Events returns the names of the session's events, in the order of definition.
func (s *Session) Events() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(slices.Clone(s.events))
}

// absolute returns the absolute path of a file. name is relative to the mount.
//
//go:noinline
func (s *Session) absolute(name string) string { return filepath.Join(s.fs.dir, name) }

// Path returns the absolute path of a file of the instance.
func (s *Session) Path(name string) string { return s.absolute(s.path(name)) }
