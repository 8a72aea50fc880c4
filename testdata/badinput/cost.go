// Package badinput is for fuzz targets: it says what an input may cost, and makes many
// more of each.
package badinput

import (
	"runtime/metrics"
	"syscall"
	"testing"
	"time"
)

const (
	// Memory is how many bytes may be allocated in all while one input is read:
	// more than are ever in use at a time.
	Memory = 256 << 20

	// CPU is the processor time that one input may take. The time of day would be a
	// measure of what else the machine does.
	CPU = time.Second
)

// Check fails the test if f takes more than is allowed. It costs a microsecond. What
// other tests do at the same time counts too.
func Check(t testing.TB, f func()) {
	t.Helper()
	allocated, used := Allocated(), processorTime()
	f()
	if n := Allocated() - allocated; n > Memory {
		t.Errorf("%d bytes allocated, more than %d", n, Memory)
	}
	if d := processorTime() - used; d > CPU*slower {
		t.Errorf("took %v of processor time, more than %v", d, CPU*slower)
	}
}

// Allocated is how many bytes the process has allocated since its start.
func Allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// processorTime is what the process has used since its start.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
