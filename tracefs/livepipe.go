package tracefs

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A livePipe reads a pipe of the tracing directory and tells when the kernel
// has nothing more at the moment.
type livePipe struct {
	f     *os.File
	ctx   context.Context // when done, the pipe ends as soon as it is empty
	idled bool            // pipeIdle was told and nothing has come since
}

type pipeState int

const (
	pipeData pipeState = iota // something was read
	pipeIdle                  // nothing there now; told once
	pipeEnd                   // nothing there and nothing wanted, or closed
)

// watch wakes a read that waits when the context is done; call stop at the end.
func (l *livePipe) watch() (stop func() bool) {
	return context.AfterFunc(l.ctx, func() { l.f.SetReadDeadline(time.Unix(1, 0)) })
}

// read reads into b. If there is nothing it first tells so with pipeIdle, and
// waits when it is called again.
func (l *livePipe) read(b []byte) (n int, state pipeState, err error) {
	rc, err := l.f.SyscallConn()
	if err != nil {
		return 0, pipeEnd, err
	}
	for {
		var rerr error
		err := rc.Read(func(fd uintptr) (done bool) {
			for n, rerr = unix.Read(int(fd), b); rerr == unix.EINTR; {
				n, rerr = unix.Read(int(fd), b)
			}
			if n > 0 {
				l.idled, state = false, pipeData
				return true
			}
			n = 0
			// 0 bytes: somebody else emptied the pipe.
			if rerr == unix.EAGAIN || rerr == nil {
				rerr = nil
				switch {
				case !l.idled:
					l.idled, state = true, pipeIdle
					return true
				case l.ctx.Err() == nil:
					return false
				}
			}
			state = pipeEnd
			return true
		})
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded) && l.ctx.Err() != nil:
			if err := l.f.SetReadDeadline(time.Time{}); err != nil {
				return 0, pipeEnd, err
			}
		case err != nil:
			return 0, pipeEnd, err
		case rerr != nil:
			return 0, pipeEnd, rerr
		default:
			return n, state, nil
		}
	}
}
