package tracefs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// ErrClosed is returned by the methods of a closed session.
var ErrClosed = errors.New("tracing session is closed")

// A Session is one instance of the tracing directory with one group of kprobe events of
// the same name. Several goroutines may call its methods. Close undoes everything.
//
// While the session lives it holds a flock(2) on the instance's tracing_on. The kernel releases
// the lock when the process dies, however it dies, which shows FS.Clean whose instances are
// dead. A PID would not: it may be from another PID namespace, or reused. Probes without an
// instance belong to a session that is dead or is just removing them; it does no harm to help
// with that.
type Session struct {
	fs       *FS
	name     string // of both the instance and the group
	dir      string // "instances/NAME"
	log      func(string, ...any)
	progress func(doing string, probes int)

	pipes      *pipeSet
	readCounts readCounts
	tally      *Tally // nil before it is asked for
	writes     writes

	mu   sync.Mutex
	undo undoStack
	// removals remove the probes. They run after the undo stack, which ends with the
	// instance: to remove a probe that was enabled in an instance resets all its
	// buffers, which takes 100 ms each time on 6.12.
	removals undoStack
	probes   probeWriters
	alive    *os.File            // tracing_on, locked
	adopted  bool                // it belonged to a dead process
	events   []string            // in the order of definition
	files    map[string]string   // the file in which each event is defined
	refused  map[string]struct{} // events without the filter that they should have
	expected expected            // the state that everything should have, which others may change
	selfOut  bool                // this process's own threads are listed as kept out
	enabled  bool
	stopped  bool // tracing_on is 0
	closed   bool
}

// NewSession removes what dead sessions left behind and creates a new session. Nothing
// is traced before Enable.
func (fs *FS) NewSession(o Options) (*Session, error) {
	s := fs.newSession("", o.Log)
	if o.Progress != nil {
		s.progress = o.Progress
	}
	if _, err := fs.clean(s.log, s.progress); err != nil {
		s.log("clean: %v", err) // not ours, so we can trace anyway
	}
	if err := s.create(); err != nil {
		return nil, err
	}
	if err := s.setUp(o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (fs *FS) newSession(name string, log func(string, ...any)) *Session {
	if log == nil {
		log = func(string, ...any) {}
	}
	return &Session{
		fs: fs, name: name, dir: path.Join("instances", name), log: log, progress: func(string, int) {},
		refused: make(map[string]struct{}), files: make(map[string]string), probes: make(probeWriters), pipes: newPipeSet(),
		expected: newExpected(),
	}
}

// create makes the instance and takes the lock that shows that it is alive. It does
// both under the lock of sessions, so that nobody sees one without the other.
func (s *Session) create() error {
	unlock, err := s.fs.lockProbes()
	if err != nil {
		return err
	}
	defer unlock()
	base := fmt.Sprintf("%s%d", namePrefix, os.Getpid())
	for n := 1; ; n++ {
		s.name = base
		if n > 1 {
			s.name = fmt.Sprintf("%s_%d", base, n)
		}
		s.dir = path.Join("instances", s.name)
		if s.fs.Exists(path.Join("events", s.name)) {
			continue // a group that could not be removed
		}
		err := s.fs.root.Mkdir(s.dir, 0o750)
		if errors.Is(err, os.ErrExist) && n < 1000 {
			continue // another session of this process, or of another PID namespace
		}
		if err != nil {
			return explainOpen(s.fs.dir, err)
		}
		break
	}
	s.log("mkdir %s", s.dir)
	if err := s.claim(); err != nil {
		return errors.Join(err, s.fs.root.Remove(s.dir))
	}
	s.undo.push("rmdir "+s.dir, s.remove)
	return nil
}

// claim takes the lock on tracing_on, which shows that the session is alive.
func (s *Session) claim() error {
	f, err := s.fs.root.open(s.path("tracing_on"), os.O_RDONLY)
	if err != nil {
		return err
	}
	if err := tryLockFile(f); err != nil {
		f.Close()
		return err
	}
	s.alive = f
	return nil
}

// remove removes the instance. No file of it may be open.
func (s *Session) remove() error {
	// Between unlocking and rmdir the instance looks dead. FS.Clean checks instances
	// under this lock.
	unlock, err := s.fs.lockProbes()
	if err != nil {
		return err
	}
	defer unlock()
	if s.alive != nil {
		s.alive.Close()
		s.alive = nil
	}
	s.log("rmdir %s", s.dir)
	// A process that was killed releases its lock a moment before its other files: wait
	// for that, but not for somebody who reads along.
	for wait := time.Millisecond; ; wait *= 2 {
		err := s.fs.root.Remove(s.dir)
		if !errors.Is(err, unix.EBUSY) || wait > time.Second {
			return err
		}
		time.Sleep(wait)
	}
}

// Group returns the name of the session's event group and of its instance:
// "tsnoop_<pid>", or "tsnoop_<pid>_<n>" if that is taken.
func (s *Session) Group() string { return s.name }

// path returns the path of a file of the instance, relative to the mount.
func (s *Session) path(name string) string { return path.Join(s.dir, name) }

// eventDir returns the folder of an event, or that of the session's group if event is "",
// relative to the instance. An event of another system has that in its name: see Use.
func (s *Session) eventDir(event string) string {
	if !isOwn(event) {
		return path.Join("events", event)
	}
	return path.Join("events", s.name, event)
}

// eventPath returns the path of a file of an event in the instance, relative to the
// mount.
func (s *Session) eventPath(event, name string) string {
	return path.Join(s.dir, s.eventDir(event), name)
}

// Enable enables the events of the session, so that all begin at once. An event whose filter
// was refused stays disabled.
//
// A *KernelError says which file the kernel refused to write; then all events are
// disabled. So they are if ctx is done before they are enabled; Enable returns its error.
func (s *Session) Enable(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if !s.enabled {
		s.undo.push("disable "+s.name, s.stop)
		s.enabled = true
	}
	if err := s.enableAll(ctx); err != nil {
		return err
	}
	s.stopped = false
	return nil
}

// Stop ends tracing until Enable is called again. The buffers can still be read.
func (s *Session) Stop() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	return s.stop()
}

// stop first stops recording, which is immediate: disabling a thousand probes takes
// seconds.
func (s *Session) stop() error {
	if !s.enabled {
		return nil
	}
	off := s.set(s.path("tracing_on"), "0")
	s.progress("disabling", len(s.events))
	disabled := s.disableAll()
	// Either is enough to stop recording.
	s.stopped = s.stopped || off == nil
	s.enabled = disabled != nil
	return errors.Join(off, disabled)
}

// disableAll disables the group's events and those of other systems.
func (s *Session) disableAll() error {
	events, own := s.used()
	if own {
		events = append([]string{""}, events...)
	}
	var errs []error
	for _, e := range events {
		err := s.set(s.eventPath(e, "enable"), "0")
		if !errors.Is(err, os.ErrNotExist) { // else somebody else has removed the probes, or a module
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// set logs and writes one setting.
func (s *Session) set(file, value string) error {
	s.log("echo %s > %s", quote(value), file)
	defer s.writes.begin(file)()
	if err := s.fs.write(file, value); err != nil {
		return s.fs.refused(err, s.path("error_log"), file, value)
	}
	return nil
}

// quote quotes a value for a shell.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Close ends tracing, closes the readers, and removes the probes and the instance. It
// may be called more than once, and from a goroutine other than the one that reads.
// Read the buffers first: they go away with the probes.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.pipes.closeAll()
	defer s.release()
	return s.explainBusy(errors.Join(s.undo.run(s.log), s.removals.run(s.log)))
}

// release closes all files. Changes that could not be undone are left to FS.Clean.
func (s *Session) release() {
	s.probes.close()
	if s.alive != nil {
		s.alive.Close()
		s.alive = nil
	}
}

var _ io.Closer = (*Session)(nil)
