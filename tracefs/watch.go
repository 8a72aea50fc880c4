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

// A Watch tells, by inotify(7), that somebody has written to a file by which a session
// can be changed, or has opened one of its pipes: at once, but not for sure. The
// kernel's own changes raise nothing, and from 6.6 on a directory of an event is
// forgotten with its watch when memory gets scarce.
type Watch struct {
	// Failed are what could not be watched.
	Failed []error

	f       *os.File
	stopped atomic.Bool
	mu      sync.Mutex       // for the maps, and Failed once it is watched
	opens   map[int32]string // watches of pipes, by number: what they are of
	dirs    map[int32]string
	buf     []byte
}

// A Touch is what a Watch has seen.
type Touch struct {
	File   string // relative to the instance, or absolute if it is outside
	Opened bool   // a pipe was opened; else the file was written to, or is gone
	Own    bool   // it may have been written to by the session itself: see Session.Hear
}

// Watch watches the session's files and those by which all probes of the machine can
// be stopped. It must be closed before the session.
func (s *Session) Watch() (*Watch, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	w := &Watch{f: os.NewFile(uintptr(fd), "inotify"), opens: map[int32]string{}, dirs: map[int32]string{}, buf: make([]byte, 64<<10)}
	s.writes.take() // of which it has not heard
	group := "events/" + s.name
	for _, dir := range []string{"", "options", "events", group} {
		w.add(w.dirs, s.absolute(s.path(dir)), dir, changing)
	}
	w.AddEvents(s, s.Events())
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

// AddEvents watches the files of further events of the session.
func (w *Watch) AddEvents(s *Session, events []string) {
	for _, event := range events {
		dir := path.Join("events", s.name, event)
		w.add(w.dirs, s.absolute(s.path(dir)), dir, changing)
	}
}

// changing is what is seen of a directory in which a file changes.
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

// Next waits until something has happened, or for a time, or until the watch is stopped.
// What it returns is all that has happened by then: the kernel says so before the write
// that has done it returns.
func (w *Watch) Next(until time.Time) ([]Touch, error) {
	if err := w.f.SetReadDeadline(until); err != nil {
		return nil, err
	}
	if w.stopped.Load() {
		return w.Waiting(), nil
	}
	n, err := w.f.Read(w.buf)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, err
	}
	return append(w.parse(w.buf[:n]), w.Waiting()...), nil
}

// Stop ends a Next that waits, and has further ones not wait.
func (w *Watch) Stop() {
	w.stopped.Store(true)
	w.f.SetReadDeadline(time.Unix(1, 0))
}

// Waiting is what has happened, without waiting for more. Only one goroutine may call it
// or Next.
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

// parse reads struct inotify_event: int wd, u32 mask, u32 cookie, u32 len, a name with
// NULs behind it.
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
			seen = append(seen, Touch{}) // anything may have happened
		}
	}
	return seen
}

// Close ends the watch, which is stopped.
func (w *Watch) Close() error { return w.f.Close() }
