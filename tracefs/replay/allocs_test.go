package replay

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// TestCallsAllocate: from a page to a call with its values nothing is allocated, so
// memory does not depend on how many calls there are.
func TestCallsAllocate(t *testing.T) {
	few, many := callsAllocate(t, 10), callsAllocate(t, 1010)
	t.Logf("%d mallocs for 30 calls, %d for 3030", few, many)
	if many > few+100 {
		t.Errorf("1,000 more pages, 3,000 more calls: %d more mallocs", many-few)
	}
}

// callsAllocate is how often memory was allocated to read the calls of the fixture's
// pages so many times.
func callsAllocate(t *testing.T, times int) uint64 {
	r, done := openRepeated(t, times)
	defer done()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n, sum := 0, uint64(0)
	for c, err := range r.Calls(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Values(c) {
			sum += v.Uint
		}
		n++
	}
	runtime.ReadMemStats(&after)
	if n != 3*times || sum != uint64(times)*(3*4+4+2) {
		t.Errorf("%d calls with values of %d", n, sum)
	}
	return after.Mallocs - before.Mallocs
}

// openRepeated opens a file that has the fixture's pages so many times.
func openRepeated(t testing.TB, times int) (*File, func()) {
	t.Helper()
	h, pages := readFixture(t)
	h.Version, h.Zstd = 6, false
	f, err := os.Create(t.TempDir() + "/repeated.dat")
	if err != nil {
		t.Fatal(err)
	}
	readers := make([]io.Reader, times)
	for i := range readers {
		readers[i] = bytes.NewReader(pages)
	}
	cpus := []tracedat.CPUSource{{ID: 0, Size: int64(times * len(pages)), Pages: io.MultiReader(readers...)}}
	if err := tracedat.Write(f, h, cpus); err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(f, info.Size(), Options{Name: f.Name()})
	if err != nil {
		t.Fatal(err)
	}
	return r, func() { f.Close() }
}

// BenchmarkCalls is what a call costs from its page to its values.
func BenchmarkCalls(b *testing.B) {
	const times = 1000
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		b.StopTimer()
		r, done := openRepeated(b, times)
		b.StartTimer()
		for c, err := range r.Calls(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
			for _, v := range r.Values(c) {
				n += int(v.Uint)
			}
		}
		done()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*times*3), "ns/call")
}
