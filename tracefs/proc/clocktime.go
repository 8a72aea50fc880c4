package proc

import (
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// ClockTime returns the time on a clock of clock_gettime(2), in ns, or 0 if it cannot be
// read.
func ClockTime(id int32) uint64 {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0
	}
	return uint64(ts.Nano())
}

// WallOffset returns what to add to the time of a trace clock, which now returns in ns, to get
// the time since 1970, in ns. A task may be interrupted between two looks at clocks, so the
// quickest of several decides.
func WallOffset(now func() uint64) (add int64) {
	least := uint64(math.MaxUint64)
	for range 5 {
		before, wall, after := now(), time.Now().UnixNano(), now()
		if took := after - before; took < least {
			least, add = took, wall-int64(before+took/2)
		}
	}
	return add
}
