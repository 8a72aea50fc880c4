package tracefs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// KprobeEvents is the file of dynamic events at functions.
const KprobeEvents = "kprobe_events"

// definitionFiles are the files of dynamic events. The last, since 5.0, takes and lists the
// events of all kinds.
var definitionFiles = []string{KprobeEvents, "dynamic_events"}

// lockFiles are files that a kernel may have. All processes of ours take the lock on the first
// that is there.
var lockFiles = append(slices.Clone(definitionFiles), "set_event")

// maxWrite is the longest definition or filter in bytes: it must be shorter than a page,
// or than the kernel's buffer of 4096 bytes (WRITE_BUFSIZE). If a definition is longer,
// error_log has no entry.
const maxWrite = 4094

// removal returns the line that removes an event.
func removal(group, event string) string { return "-:" + group + "/" + event }

// A ProbeLine is one line of a file of dynamic events.
type ProbeLine struct {
	Kind         string // "p", "r", "r10"
	Group, Event string
	Place        string
	File         string // file of tracefs that has the line; ParseProbes leaves it ""
}

// ParseProbes parses kprobe_events as the kernel prints it:
//
//	p:GROUP/EVENT PLACE ARGS
//
// See Documentation/trace/kprobetrace.rst.
func ParseProbes(r io.Reader) ([]ProbeLine, error) {
	var lines []ProbeLine
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		head, rest, _ := strings.Cut(sc.Text(), " ")
		kind, name, ok := strings.Cut(head, ":")
		if !ok {
			continue
		}
		group, event, ok := strings.Cut(name, "/")
		if !ok {
			continue
		}
		place, _, _ := strings.Cut(rest, " ")
		lines = append(lines, ProbeLine{Kind: kind, Group: group, Event: event, Place: place})
	}
	return lines, sc.Err()
}

// lockProbes takes the lock for creating and removing sessions. Only processes of ours
// take it, and hold it for one change at most. It is the lock on kprobe_events, or on another
// file where the kernel has no kprobes.
func (fs *FS) lockProbes() (unlock func(), err error) {
	f, err := fs.openProbes(fs.lock)
	if err != nil {
		return nil, err
	}
	return func() { f.Close() }, nil
}

// openProbes opens a file of dynamic events, locked, for one change. It uses O_APPEND
// and not O_TRUNC: anything else deletes everybody's probes.
func (fs *FS) openProbes(file string) (*os.File, error) {
	f, err := fs.root.open(file, os.O_WRONLY|os.O_APPEND)
	if err != nil {
		return nil, explainOpen(fs.dir, err)
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// A probeWriter writes lines to a file of dynamic events. The file stays open; the lock
// is taken for each line.
type probeWriter struct {
	file string
	f    *os.File // nil before the first line
}

// change writes a line. It holds the lock until it has read the error log, which is
// shared and keeps few entries.
func (w *probeWriter) change(fs *FS, line string) error {
	return w.changeUnless(fs, line, func() bool { return false })
}

// changeUnless is like change, but does nothing if unless returns true once the lock is
// held.
func (w *probeWriter) changeUnless(fs *FS, line string, unless func() bool) (err error) {
	if w.f == nil {
		if w.f, err = fs.openProbes(w.file); err != nil {
			return err
		}
	} else if err := lockFile(w.f); err != nil {
		w.close() // it may be locked nevertheless; see below
		return err
	}
	defer func() {
		if unlockFile(w.f) != nil {
			w.close() // close unlocks in any case; otherwise Close would wait for this lock forever
		}
	}()
	if unless() {
		return nil
	}
	if err := writeOnce(w.f, line); err != nil {
		return fs.refused(err, "error_log", w.file, line)
	}
	return nil
}

func (w *probeWriter) close() {
	if w.f != nil {
		w.f.Close()
		w.f = nil
	}
}

// probeWriters are the writers of a session, by file.
type probeWriters map[string]*probeWriter

func (w probeWriters) of(file string) *probeWriter {
	if w[file] == nil {
		w[file] = &probeWriter{file: file}
	}
	return w[file]
}

func (w probeWriters) close() {
	for _, one := range w {
		one.close()
	}
}

// Define adds a probe: one line for a file of dynamic events. Its group must be the
// session's. It reduces white space to single blanks, which is how the kernel counts
// the columns of a KernelError.
func (s *Session) Define(file, def string) error {
	def = strings.Join(strings.Fields(def), " ")
	event, err := s.eventName(def)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if len(def) > maxWrite {
		return &KernelError{File: file, Command: def, Column: maxWrite, Errno: unix.EINVAL,
			Text: fmt.Sprintf("definition of %d characters is longer than %d", len(def), maxWrite)}
	}
	s.log("echo %s >> %s", quote(def), file)
	if err := s.probes.of(file).change(s.fs, def); err != nil {
		return err
	}
	s.expected.definitions[event] = append(s.expected.definitions[event], def)
	s.pushRemove(file, event)
	return nil
}

// pushRemove notes that an event exists and must be removed.
func (s *Session) pushRemove(file, event string) {
	s.events = append(s.events, event)
	s.files[event] = file
	if s.enabled {
		s.expected.paused[event] = true // until Resume enables it
	}
	left := len(s.events)
	s.removals.push("remove "+event, func() error {
		s.progress("removing", left)
		return s.removeProbe(event)
	})
}

// Remove undoes Define for an event, which must not be enabled.
func (s *Session) Remove(event string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if !slices.Contains(s.events, event) {
		return nil
	}
	if !isOwn(event) {
		if err := s.forget(event); err != nil {
			return err
		}
	} else {
		s.log("echo %s >> %s", removal(s.name, event), s.files[event])
		if err := s.removeProbe(event); err != nil {
			return err // Close will try again
		}
	}
	s.removals = slices.DeleteFunc(s.removals, func(u undo) bool { return u.name == "remove "+event })
	s.events = slices.DeleteFunc(s.events, func(e string) bool { return e == event })
	delete(s.refused, event)
	delete(s.expected.paused, event)
	delete(s.files, event)
	delete(s.expected.filters, event)
	delete(s.expected.definitions, event)
	return nil
}

// eventName returns the event's name in a definition: "r8:GROUP/EVENT PLACE".
func (s *Session) eventName(def string) (string, error) {
	head, _, _ := strings.Cut(def, " ")
	_, name, _ := strings.Cut(head, ":")
	group, event, _ := strings.Cut(name, "/")
	if group != s.name || event == "" {
		return "", fmt.Errorf("definition %q names no event of group %s", def, s.name)
	}
	return event, nil
}

// removeProbe removes all probes of an event. It is not an error if there are none, but the
// kernel's word for that is not enough: a line of which only a part has arrived names
// another event.
func (s *Session) removeProbe(event string) error {
	err := s.probes.of(s.files[event]).changeUnless(s.fs, removal(s.name, event), s.succeeded)
	if errors.Is(err, unix.ENOENT) && !s.fs.Exists("events/"+s.name+"/"+event) {
		return nil
	}
	return err
}

// succeeded reports whether somebody else has taken the session's name by now. It must
// be called with the lock of sessions held. Several processes may clean up after a
// dead one. When the last of its probes is gone a new session may take the name, at
// once if all processes are process 1 of a container, and define the same events, which
// the slowest of the cleaners must not remove.
func (s *Session) succeeded() bool {
	if !s.adopted || s.alive != nil {
		return false
	}
	f, err := s.fs.root.open(s.path("tracing_on"), os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(tryLockFile(f), unix.EWOULDBLOCK)
}

// probes returns the events of a group, or of all groups if group is "".
func (fsys *FS) probes(group string) ([]ProbeLine, error) {
	var own []ProbeLine
	type name struct{ group, event string }
	seen := map[name]string{} // the first file that lists the event
	for _, file := range definitionFiles {
		lines, err := read(fsys, file, ParseProbes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, l := range lines {
			if group != "" && l.Group != group || seen[name{l.Group, l.Event}] != "" && seen[name{l.Group, l.Event}] != file {
				continue
			}
			l.File = file
			seen[name{l.Group, l.Event}] = file
			own = append(own, l)
		}
	}
	return own, nil
}
