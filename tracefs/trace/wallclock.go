package trace

import (
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// wallNow returns what to add to the trace clock to get the time since 1970, in ns. A task
// may be interrupted between two looks at clocks, so the quickest of several decides.
func (t *Trace) wallNow() (add int64) {
	least := uint64(math.MaxUint64)
	for range 5 {
		before, wall, after := t.Now(), time.Now().UnixNano(), t.Now()
		if took := after - before; took < least {
			least, add = took, wall-int64(before+took/2)
		}
	}
	return add
}

// watchWall notes when the host's clock is set, until stop is called. The kernel reports
// that also when it resumes from suspend.
func (t *Trace) watchWall() (stop func()) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_REALTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		t.Warner.Detailf("times do not follow the clock if it is set: %v", err)
		return func() {}
	}
	timer := os.NewFile(uintptr(fd), "timerfd")
	never := unix.ItimerSpec{Value: unix.Timespec{Sec: 9e9}} // in the year 2255
	start := func() error {
		return unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &never, nil)
	}
	if err := start(); err != nil {
		t.Warner.Detailf("times do not follow the clock if it is set: %v", err)
		timer.Close()
		return func() {}
	}
	conn, err := timer.SyscallConn()
	if err != nil {
		timer.Close()
		return func() {}
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
				t.Wall.Set(t.Now(), t.wallNow())
			}
		}
	}()
	return func() { timer.Close() }
}
