package live

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// whileRead returns a context that is also done once nobody can read what is written to
// f: the other side of a pipe, FIFO or socket is closed, or the terminal is gone. A trace
// that has nothing to show never writes, so no write would fail. See poll(2): a pipe
// without a reader reports POLLERR, a socket or terminal POLLHUP, and both are reported
// without being asked for. A regular file never reports anything. Call release to stop
// watching.
func whileRead(ctx context.Context, f *os.File) (_ context.Context, release func(), err error) {
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, nil, os.NewSyscallError("eventfd", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	fds := []unix.PollFd{{Fd: int32(f.Fd())}, {Fd: int32(wake), Events: unix.POLLIN}}
	go func() {
		defer close(over)
		for err := error(unix.EINTR); errors.Is(err, unix.EINTR); {
			_, err = unix.Poll(fds, -1)
		}
		if fds[0].Revents != 0 {
			cancel()
		}
	}()
	return ctx, func() {
		unix.Write(wake, []byte{0, 0, 0, 0, 0, 0, 0, 1})
		<-over
		unix.Close(wake)
		cancel()
	}, nil
}
