package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// WatchClock calls set when the host's clock was set, until stop is called. The kernel
// reports that also when it resumes from suspend.
func WatchClock(set func()) (stop func(), err error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	timer := os.NewFile(uintptr(fd), "timerfd")
	never := unix.ItimerSpec{Value: unix.NsecToTimespec(9e18)} // in the year 2255
	start := func() error {
		return unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &never, nil)
	}
	if err := start(); err != nil {
		timer.Close()
		return nil, os.NewSyscallError("timerfd_settime", err)
	}
	conn, err := timer.SyscallConn()
	if err != nil {
		timer.Close()
		return nil, err
	}
	go func() {
		var count [8]byte
		for {
			var failed error
			if conn.Read(func(fd uintptr) bool {
				_, failed = unix.Read(int(fd), count[:])
				return failed != unix.EAGAIN
			}) != nil {
				return // closed
			}
			if failed == unix.ECANCELED {
				set()
			}
		}
	}()
	return func() { timer.Close() }, nil
}
