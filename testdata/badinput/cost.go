// Package badinput is for fuzz targets. It limits what an input may cost, and makes many
// mutants of each.
package badinput

import (
	"runtime/metrics"
	"syscall"
	"testing"
	"time"
)

const (
	// Memory is the most bytes that may be allocated in all while one input is read. It
	// is more than is ever in use at a time.
	Memory = 256 << 20

	// CPU is the most processor time that one input may take. Wall-clock time would
	// measure what else the machine does.
	CPU = time.Second
)

// Check fails the test if f takes more than the limits allow. To look costs some
// microseconds. What other tests do at the same time counts, too.
func Check(t testing.TB, f func()) {
	t.Helper()
	allocated, used := cost(f)
	if allocated > Memory {
		t.Errorf("%d bytes allocated, more than %d", allocated, Memory)
	}
	if used > CPU*slower {
		t.Errorf("took %v of processor time, more than %v", used, CPU*slower)
	}
}

// fits tells whether f takes no more than Check allows.
func fits(f func()) bool {
	allocated, used := cost(f)
	return allocated <= Memory && used <= CPU*slower
}

// cost returns what f allocates, and the processor time that it takes.
func cost(f func()) (allocated uint64, used time.Duration) {
	before, start := Allocated(), processorTime()
	f()
	return Allocated() - before, processorTime() - start
}

// Allocated returns how many bytes the process has allocated since its start.
func Allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// processorTime returns the processor time that the process has used since its start.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
