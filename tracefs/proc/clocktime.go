package proc

import "golang.org/x/sys/unix"

// ClockTime returns the time on a clock of clock_gettime(2), in ns, or 0 if it cannot be
// read.
func ClockTime(id int32) uint64 {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0
	}
	return uint64(ts.Nano())
}
