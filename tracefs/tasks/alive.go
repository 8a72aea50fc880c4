package tasks

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

// WhileAlive returns a context that is also done once the last of the processes has ended;
// if followed is not nil, also once the last of the threads in its list has. A process that
// has ended makes its pidfd readable, see pidfd_open(2). Call release to stop watching.
func WhileAlive(ctx context.Context, pids []int, followed func() (map[int]bool, error)) (_ context.Context, release func(), err error) {
	var alive []unix.PollFd
	closeAll := func() {
		for _, p := range alive {
			unix.Close(int(p.Fd))
		}
	}
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if errors.Is(err, unix.ESRCH) { // it has ended meanwhile
			continue
		}
		if err != nil {
			closeAll()
			return nil, nil, fmt.Errorf("process %d: %w", pid, os.NewSyscallError("pidfd_open", err))
		}
		alive = append(alive, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	end, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		closeAll()
		return nil, nil, os.NewSyscallError("eventfd", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer closeAll()
		for ctx.Err() == nil {
			if len(alive) > 0 {
				alive = stillAlive(alive, end)
			} else if followed != nil && anyLives(followed) {
				unix.Poll([]unix.PollFd{{Fd: int32(end), Events: unix.POLLIN}}, watchMillis)
			} else {
				cancel()
			}
		}
	}()
	return ctx, func() {
		cancel()
		unix.Write(end, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // any number except 0
		<-over
		unix.Close(end)
	}, nil
}

// watchMillis is how often a list of threads is read, in ms.
const watchMillis = 100

// stillAlive waits until processes have ended, or until end is readable, and returns those
// that have not. It closes the others.
func stillAlive(all []unix.PollFd, end int) (alive []unix.PollFd) {
	polled := append(all, unix.PollFd{Fd: int32(end), Events: unix.POLLIN})
	if _, err := unix.Poll(polled, -1); err != nil {
		return all
	}
	for _, p := range polled[:len(all)] {
		if p.Revents == 0 {
			alive = append(alive, p)
		} else {
			unix.Close(int(p.Fd))
		}
	}
	return alive
}

// anyLives reports whether one of the threads in a list lives, or the list cannot be read. A
// thread that its parent has not waited for stays in the kernel's list.
func anyLives(list func() (map[int]bool, error)) bool {
	tids, err := list()
	if err != nil {
		return true
	}
	for tid := range tids {
		if !proc.HasEnded(tid) {
			return true
		}
	}
	return false
}
