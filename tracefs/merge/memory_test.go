package merge_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/testdata/recordings"
	"github.com/tsnoop/tsnoop/tracefs/merge"
)

// many writes recordings with so many pages together, all of one time.
func many(t testing.TB, n, cpus, pages int, compress bool) (names []string) {
	t.Helper()
	dir, step := t.TempDir(), recordings.Span+time.Millisecond
	for i := range n {
		m := recordings.Made{Host: fmt.Sprint("h", i), Boot: fmt.Sprint("b", i), Start: time.Second, Wall: noon.Add(time.Duration(i) * time.Microsecond), Compress: compress}
		for cpu := range cpus {
			m.Pages = append(m.Pages, every(time.Duration(cpus)*step, time.Duration(cpu)*step, pages/n/cpus))
		}
		names = append(names, write(t, dir, fmt.Sprint(i, ".dat"), m))
	}
	return names
}

// TestMemory: 200 recordings of 8 CPUs that are read at once hold less than 1 MiB each, whatever is
// in use by the test itself.
func TestMemory(t *testing.T) {
	const files, cpus = 200, 8
	for _, compress := range []bool{false, true} {
		names := many(t, files, cpus, files*cpus*64, compress)
		before := inUse()
		tl := merge.New(open(t, shared(), names...))
		opened := inUse()
		n, peak := 0, uint64(0)
		for c, err := range tl.Calls(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if n++; n%60_000 == 0 {
				peak = max(peak, inUse())
			}
			_ = c
		}
		after := inUse()
		t.Logf("compressed %v: %d KiB for each when opened, %d KiB while %d calls are read, %d KiB after it", compress, (opened-before)>>10/files, (peak-before)>>10/files, n, (after-before)>>10/files)
		if n != files*cpus*64*recordings.Calls {
			t.Errorf("%d calls", n)
		}
		if peak-before > files<<20 || after-before > files*300<<10 {
			t.Errorf("%d MiB are in use by %d recordings, %d MiB after they were read", (peak-before)>>20, files, (after-before)>>20)
		}
		runtime.KeepAlive(tl)
	}
}

// inUse returns how many bytes are in use.
func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestAllocates: calls of a time line allocate nothing.
func TestAllocates(t *testing.T) {
	count := func(pages int) (mallocs uint64, n int) {
		tl := merge.New(open(t, shared(), many(t, 20, 1, pages, false)...))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range tl.Calls(t.Context()) {
			n++
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs, n
	}
	few, calls := count(60)
	lots, more := count(6000)
	t.Logf("%d mallocs for %d calls, %d for %d", few, calls, lots, more)
	if lots > few+uint64(more)/100 {
		t.Errorf("%d more calls took %d mallocs", more-calls, lots-few)
	}
}

// BenchmarkRecordings reads as many calls of 1, 10, 100 and 200 recordings. It reports how much
// longer a call takes than of one recording: the time grows with the logarithm of their number.
func BenchmarkRecordings(b *testing.B) {
	const pages = 24_000
	var one float64
	for _, files := range []int{1, 10, 100, 200} {
		names := many(b, files, 1, pages, false)
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				b.StopTimer()
				tl := merge.New(open(b, shared(), names...))
				b.StartTimer()
				for range tl.Calls(b.Context()) {
					n++
				}
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(n)
			if files == 1 {
				one = each
			}
			b.ReportMetric(each, "ns/call")
			if one > 0 {
				b.ReportMetric(each/one, "times-one")
			}
		})
	}
}
