package tracefs

import (
	"context"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// A pipeSet keeps the pipes of an instance that are open for reading, for an
// instance with an open file cannot be removed. It has a lock of its own:
// readers must be able to end while a session is being closed.
type pipeSet struct {
	mu     sync.Mutex
	files  map[*os.File]bool
	closed bool
	// Done when closed, for those who wait for several pipes.
	done context.Context
	over context.CancelFunc
}

func newPipeSet() *pipeSet {
	p := &pipeSet{files: make(map[*os.File]bool)}
	p.done, p.over = context.WithCancel(context.Background())
	return p
}

func (p *pipeSet) open(fsys *FS, name string) (*os.File, error) {
	return p.keep(func() (*os.File, error) { return fsys.root.Open(name) })
}

// openQuiet is open for a pipe that is only ever asked without waiting. The
// runtime's poller does not know of it: it would be woken by each event, and
// again by the next, for nothing.
func (p *pipeSet) openQuiet(fsys *FS, name string) (*os.File, error) {
	return p.keep(func() (*os.File, error) {
		f, err := fsys.root.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return unpolled(f)
	})
}

// keep opens a pipe, which the set then has.
func (p *pipeSet) keep(open func() (*os.File, error)) (*os.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	f, err := open()
	if err == nil {
		p.files[f] = true
	}
	return f, err
}

// unpolled makes another file of the same pipe, not blocking but unknown to the
// runtime's poller: os.NewFile takes a file for one that blocks.
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

// close closes one pipe, unless closeAll has done so.
func (p *pipeSet) close(f *os.File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.files[f] {
		delete(p.files, f)
		f.Close()
	}
}

// closeAll ends every read and lets no pipe be opened any more.
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

// readError returns nil for an error that comes from closeAll: os.File does not
// say so itself, its RawConn gives an error that cannot be compared.
func (p *pipeSet) readError(f *os.File, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil || !p.files[f] {
		return nil
	}
	return &fs.PathError{Op: "read", Path: f.Name(), Err: err}
}
