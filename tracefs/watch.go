package tracefs

import (
	"encoding/binary"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A Watch reports, by inotify(7), that somebody has written to a file that can change a
// session, or has opened one of its pipes. It reports it at once, but not reliably: the
// kernel's own changes cause no event, and since 6.6 the kernel drops an event's
// directory together with its watch when memory is short.
type Watch struct {
	// Failed holds the errors of what could not be watched.
	Failed []error

	f       *os.File
	stopped atomic.Bool
	mu      sync.Mutex       // guards the maps, soon, and Failed once watching has begun
	soon    time.Time        // Next waits no longer, unless zero
	opens   map[int32]string // watches of pipes, by watch descriptor: the file's name
	dirs    map[int32]string
	buf     []byte
}

// A Touch is something that a Watch has seen.
type Touch struct {
	File   string // relative to the instance, or absolute if outside of it
	Opened bool   // a pipe was opened; otherwise the file was written to or removed
	Own    bool   // the session itself may have written to it: see Session.CollectTouches
}

// Watch watches the session's files and those that can stop all probes of the machine.
// The Watch must be closed before the session.
func (s *Session) Watch() (*Watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	w := &Watch{f: os.NewFile(uintptr(fd), "inotify"), opens: map[int32]string{}, dirs: map[int32]string{}, buf: make([]byte, 64<<10)}
	s.writes.take() // the watch has not seen those
	dirs := []string{"", "options", "events"}
	if s.fs.Exists(s.path(s.eventDir(""))) {
		dirs = append(dirs, s.eventDir(""))
	}
	for _, dir := range dirs {
		w.add(w.dirs, s.absolute(s.path(dir)), dir, changing)
	}
	w.AddEvents(s, s.Events())
	if s.recordsNewTasks() {
		dir := path.Clean(newTask)
		w.add(w.dirs, s.absolute(s.path(dir)), dir, changing)
	}
	w.add(w.opens, s.absolute(s.path("trace_pipe")), "trace_pipe", unix.IN_OPEN)
	cpus, err := s.CPUs()
	if err != nil {
		w.Failed = append(w.Failed, err)
	}
	for _, cpu := range cpus {
		dir := "per_cpu/cpu" + strconv.Itoa(cpu)
		w.add(w.dirs, s.absolute(s.path(dir)), dir, unix.IN_MODIFY)
		for _, pipe := range []string{"trace_pipe", "trace_pipe_raw"} {
			w.add(w.opens, s.absolute(s.path(dir+"/"+pipe)), dir+"/"+pipe, unix.IN_OPEN)
		}
	}
	for _, file := range append(s.switches(), s.absolute("kprobe_events"), s.absolute("dynamic_events")) {
		if _, err := os.Lstat(file); err == nil {
			w.add(w.dirs, file, file, unix.IN_MODIFY)
		}
	}
	return w, nil
}

// AddEvents also watches the files of further events of the session.
func (w *Watch) AddEvents(s *Session, events []string) {
	for _, event := range events {
		dir := s.eventDir(event)
		w.add(w.dirs, s.absolute(s.path(dir)), dir, changing)
	}
}

// AddSystem also watches the files by which all events of a system are changed at once.
func (w *Watch) AddSystem(s *Session, system string) {
	dir := path.Join("events", system)
	w.add(w.dirs, s.absolute(s.path(dir)), dir, changing)
}

// changing is the inotify mask for a directory in which a file changes.
const changing = unix.IN_MODIFY | unix.IN_CREATE | unix.IN_DELETE | unix.IN_DELETE_SELF

func (w *Watch) add(to map[int32]string, file, name string, mask uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var wd int
	conn, err := w.f.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) {
			var e error
			if wd, e = unix.InotifyAddWatch(int(fd), file, mask); e != nil {
				w.Failed = append(w.Failed, &os.PathError{Op: "inotify_add_watch", Path: file, Err: e})
			}
		})
	}
	if err != nil {
		w.Failed = append(w.Failed, err)
	} else if wd > 0 {
		to[int32(wd)] = name
	}
}

// Next waits until something has happened, until a time, or until the watch is stopped.
// It returns everything that has happened by then: the kernel reports a write before
// the write(2) returns.
func (w *Watch) Next(until time.Time) ([]Touch, error) {
	w.mu.Lock()
	if !w.soon.IsZero() && w.soon.Before(until) {
		until = w.soon
	}
	err := w.f.SetReadDeadline(until)
	w.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if w.stopped.Load() {
		return w.Waiting(), nil
	}
	n, err := w.f.Read(w.buf)
	w.mu.Lock()
	if !time.Now().Before(w.soon) { // else the next Next still has to end then
		w.soon = time.Time{}
	}
	w.mu.Unlock()
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, err
	}
	return append(w.parse(w.buf[:n]), w.Waiting()...), nil
}

// Hasten has the Next that waits, or else the one that follows, wait only until a time.
func (w *Watch) Hasten(until time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.soon = until
	w.f.SetReadDeadline(until)
}

// Stop ends a waiting Next; later ones do not wait.
func (w *Watch) Stop() {
	w.stopped.Store(true)
	w.f.SetReadDeadline(time.Unix(1, 0))
}

// Waiting returns what has happened, without waiting for more. Next and Waiting must be
// called from one goroutine.
func (w *Watch) Waiting() (seen []Touch) {
	conn, err := w.f.SyscallConn()
	for n := 1; err == nil && n > 0; {
		err = conn.Control(func(fd uintptr) {
			if n, _ = unix.Read(int(fd), w.buf); n > 0 {
				seen = append(seen, w.parse(w.buf[:n])...)
			}
		})
	}
	return seen
}

// parse parses struct inotify_event: int wd, u32 mask, u32 cookie, u32 len, and a name
// padded with NULs.
func (w *Watch) parse(b []byte) (seen []Touch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(b) >= unix.SizeofInotifyEvent {
		wd, mask := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		if end > len(b) {
			break
		}
		name := strings.TrimRight(string(b[unix.SizeofInotifyEvent:end]), "\x00")
		b = b[end:]
		if pipe, ok := w.opens[wd]; ok && mask&unix.IN_OPEN != 0 {
			seen = append(seen, Touch{File: pipe, Opened: true})
		} else if dir, ok := w.dirs[wd]; ok {
			seen = append(seen, Touch{File: filepath.Join(dir, name)})
		} else if mask&unix.IN_Q_OVERFLOW != 0 {
			seen = append(seen, Touch{}) // the queue has overflowed: anything may have happened
		}
	}
	return seen
}

// Close ends the watch, which must be stopped.
func (w *Watch) Close() error { return w.f.Close() }
