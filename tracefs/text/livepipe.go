package text

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A livePipe reads a pipe of the tracing directory and reports when the kernel has
// nothing more at the moment. It waits in the runtime's poller.
type livePipe struct {
	f    *os.File
	conn syscall.RawConn
	ctx  context.Context // once it is done, the pipe ends as soon as it is empty
	poll func(fd uintptr) (done bool)

	buf   []byte // buffer of the read in progress
	n     int    // bytes read
	err   error
	state pipeState
}

type pipeState int

const (
	pipeData pipeState = iota // something was read
	pipeIdle                  // nothing there now; reported once
	pipeEnd                   // nothing there and nothing wanted, or closed
)

func newLivePipe(ctx context.Context, f *os.File) (*livePipe, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	l := &livePipe{f: f, conn: conn, ctx: ctx}
	l.poll = l.tryRead
	return l, nil
}

// watch ends a waiting read when the context is done. The caller must call stop at the
// end.
func (l *livePipe) watch() (stop func() bool) {
	return context.AfterFunc(l.ctx, func() { l.f.SetReadDeadline(time.Unix(1, 0)) })
}

// read reads into b. If there is nothing it returns pipeIdle first, and waits when it
// is called again.
func (l *livePipe) read(b []byte) (n int, state pipeState, err error) {
	l.buf, l.n, l.err = b, 0, nil
	for {
		err := l.conn.Read(l.poll)
		if errors.Is(err, os.ErrDeadlineExceeded) && l.ctx.Err() != nil {
			// The read has ended. The rest must be read without a deadline.
			if err = l.f.SetReadDeadline(time.Time{}); err == nil {
				continue
			}
		}
		if err != nil {
			l.state, l.err = pipeEnd, err
		}
		return l.n, l.state, l.err
	}
}

// tryRead reads once. It returns false if the caller should wait until there is
// something.
func (l *livePipe) tryRead(fd uintptr) (done bool) {
	n, err := unix.Read(int(fd), l.buf)
	for err == unix.EINTR {
		n, err = unix.Read(int(fd), l.buf)
	}
	switch {
	case n > 0:
		l.n, l.state = n, pipeData
	case err != nil && err != unix.EAGAIN:
		l.err, l.state = err, pipeEnd
	case l.state == pipeData:
		l.state = pipeIdle
	case l.ctx.Err() == nil:
		return false
	default:
		l.state = pipeEnd
	}
	return true
}
