package tracefs

import (
	"context"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A Pipe is a pipe of a session that is open for reading. Session.Close closes it,
// which ends a blocked read.
type Pipe struct {
	*os.File
	set *pipeSet
}

// OpenPipe opens a pipe of the session's instance: "trace_pipe", or one below per_cpu.
func (s *Session) OpenPipe(name string) (*Pipe, error) {
	s.pipes.opening(name)
	return s.pipes.keep(func() (*os.File, error) { return s.fs.root.Open(s.path(name)) })
}

// OpenUnpolledPipe is like OpenPipe, for a pipe that is only read without waiting. The
// runtime's poller does not know of it: each event would wake the poller for nothing.
func (s *Session) OpenUnpolledPipe(name string) (*Pipe, error) {
	s.pipes.opening(name)
	return s.pipes.keep(func() (*os.File, error) {
		f, err := s.fs.root.Open(s.path(name))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return unpolled(f)
	})
}

// Closing returns a context that is done when the session is closed, for those who wait
// for several pipes.
func (s *Session) Closing() context.Context { return s.pipes.done }

// A pipeSet holds the pipes of an instance that are open for reading, since an instance
// with an open file cannot be removed. It has its own lock: readers must be able to end
// while a session is being closed.
type pipeSet struct {
	mu     sync.Mutex
	files  map[*os.File]bool
	opens  map[string]int // how often each was opened
	closed bool
	done   context.Context // done when closed
	over   context.CancelFunc
}

func newPipeSet() *pipeSet {
	p := &pipeSet{files: make(map[*os.File]bool), opens: make(map[string]int)}
	p.done, p.over = context.WithCancel(context.Background())
	return p
}

// opening notes that a pipe is about to be opened.
func (p *pipeSet) opening(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opens[name]++
}

// Opened returns how often this process has opened a pipe of the session.
func (s *Session) Opened(name string) int {
	s.pipes.mu.Lock()
	defer s.pipes.mu.Unlock()
	return s.pipes.opens[name]
}

// keep opens a pipe and adds it to the set.
func (p *pipeSet) keep(open func() (*os.File, error)) (*Pipe, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	p.files[f] = true
	return &Pipe{File: f, set: p}, nil
}

// unpolled returns another file for the same pipe, which does not block but is unknown
// to the runtime's poller: os.NewFile is given a descriptor that blocks.
func unpolled(f *os.File) (*os.File, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	if e := conn.Control(func(old uintptr) { fd, err = unix.FcntlInt(old, unix.F_DUPFD_CLOEXEC, 0) }); e != nil {
		return nil, e
	}
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	unix.SetNonblock(fd, false)
	quiet := os.NewFile(uintptr(fd), f.Name())
	if err := unix.SetNonblock(fd, true); err != nil {
		quiet.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	return quiet, nil
}

// Close closes the pipe, unless Session.Close has done so.
func (p *Pipe) Close() error {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	if !p.set.files[p.File] {
		return nil
	}
	delete(p.set.files, p.File)
	return p.File.Close()
}

// closeAll ends every read. No pipe can be opened after that.
func (p *pipeSet) closeAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.over()
	for f := range p.files {
		f.Close()
	}
	clear(p.files)
}

// ReadError adds the pipe's name to an error of its RawConn. It returns nil for an
// error that comes from Session.Close: os.File does not identify it, since its RawConn
// returns an error that cannot be compared.
func (p *Pipe) ReadError(err error) error {
	p.set.mu.Lock()
	defer p.set.mu.Unlock()
	if err == nil || !p.set.files[p.File] {
		return nil
	}
	return &fs.PathError{Op: "read", Path: p.Name(), Err: err}
}
