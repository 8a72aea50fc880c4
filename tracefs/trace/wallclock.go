package trace

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// A wallStep is a time from which on the clock of the host is another one.
type wallStep struct {
	From uint64 // ns on the trace clock
	Add  int64  // ns to add to the trace clock to get the time since 1970
}

// A wallClock converts times of the trace clock to the time of day, as it was then on the
// host. Its methods may be called from any goroutine.
type wallClock struct {
	steps atomic.Pointer[[]wallStep] // the first is from the beginning; nil if it is not known
	shown int                        // steps that the reader of the events has passed
}

// set notes that the clock is add ns before the trace clock from a time on.
func (w *wallClock) set(from uint64, add int64) {
	var steps []wallStep
	if p := w.steps.Load(); p != nil {
		steps = *p
	}
	steps = append(slices.Clip(steps), wallStep{from, add})
	w.steps.Store(&steps)
}

// all returns the steps, the first of which is from the beginning.
func (w *wallClock) all() []wallStep {
	if p := w.steps.Load(); p != nil {
		return *p
	}
	return nil
}

// at returns what to add to a time of the trace clock.
func (w *wallClock) at(now uint64) int64 {
	steps := w.all()
	for i := len(steps) - 1; i > 0; i-- {
		if steps[i].From <= now {
			return steps[i].Add
		}
	}
	if len(steps) == 0 {
		return 0
	}
	return steps[0].Add
}

// leastStep is the smallest step that is reported. Reading both clocks takes a while, so
// smaller ones may be none.
const leastStep = time.Millisecond

// pass calls tell for each step up to now that it has not been called for.
func (w *wallClock) pass(now uint64, tell func(tracefs.Interference)) {
	steps := w.all()
	for w.shown = max(w.shown, 1); w.shown < len(steps) && steps[w.shown].From <= now; w.shown++ {
		step, before := steps[w.shown], steps[w.shown-1].Add
		by, way := time.Duration(step.Add-before), "forward"
		if by < 0 {
			by, way = -by, "back"
		}
		if by < leastStep || tell == nil {
			continue
		}
		stamp := func(add int64) string { return time.Unix(0, int64(step.From)+add).Format("2006-01-02 15:04:05.000000") }
		tell(tracefs.Interference{
			Text: fmt.Sprintf("the clock was set %s by %s: times follow it from here on", way, by.Round(time.Microsecond)),
			Was:  stamp(before), Is: stamp(step.Add),
		})
	}
}

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
		t.warner.Detailf("times do not follow the clock if it is set: %v", err)
		return func() {}
	}
	timer := os.NewFile(uintptr(fd), "timerfd")
	never := unix.ItimerSpec{Value: unix.Timespec{Sec: 9e9}} // in the year 2255
	start := func() error {
		return unix.TimerfdSettime(fd, unix.TFD_TIMER_ABSTIME|unix.TFD_TIMER_CANCEL_ON_SET, &never, nil)
	}
	if err := start(); err != nil {
		t.warner.Detailf("times do not follow the clock if it is set: %v", err)
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
				t.wall.set(t.Now(), t.wallNow())
			}
		}
	}()
	return func() { timer.Close() }
}
