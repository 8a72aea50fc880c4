// Package badinput is for fuzz targets. It limits what an input may cost, and makes many
// mutants of each.
package badinput

import (
	"runtime/metrics"
	"syscall"
	"testing"
	"time"
)

// Memory returns the most bytes that reading an input of size bytes may take. In tests of
// one process it is the most that may be allocated in all, which is more than is ever in
// use at a time.
func Memory(size int) uint64 { return 64<<20 + 4*uint64(size) }

// CPU returns the most processor time that an input of size bytes may take. Wall-clock
// time would measure what else the machine does.
func CPU(size int) time.Duration {
	return slower * (time.Second + time.Duration(size)*time.Second/(1<<20))
}

// Check fails the test if f, which reads size bytes, takes more than the limits allow. To
// look costs some microseconds. The work of other tests at the same time also counts.
func Check(t testing.TB, size int, f func()) {
	t.Helper()
	allocated, used := cost(f)
	if allocated > Memory(size) {
		t.Errorf("%d bytes allocated for %d, more than %d", allocated, size, Memory(size))
	}
	if used > CPU(size) {
		t.Errorf("took %v of processor time for %d bytes, more than %v", used, size, CPU(size))
	}
}

// fits reports whether f takes no more than the smallest input may.
func fits(f func()) bool {
	allocated, used := cost(f)
	return allocated <= Memory(0) && used <= CPU(0)
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
