//go:build vm

package suite

import (
	"fmt"
	"strconv"
	"testing"
)

// TestBenchRate compares how many of the calls of TestVMBurst are lost with the same
// values fetched and the same buffer.
func TestBenchRate(t *testing.T) {
	onOneCPU(t)
	const n = 1_500_000
	buffer := traceRate(t, n)
	fmt.Printf("%-22s %10d of %d calls lost\n", "tsnoop", 0, n)
	l := loadRate(t, n)
	p := newPeer(t, l.pid, buffer)
	cat := p.cat()
	l.run()
	stats := p.stats()
	cat.Process.Kill()
	cat.Wait()
	if seen := stats.Read + stats.Overrun + stats.Entries; seen != n {
		t.Errorf("the other tracer has seen %d events, want %d: %+v", seen, n, stats)
	}
	fmt.Printf("%-22s %10d\n", "cat trace_pipe", stats.Overrun)
}

func loadRate(t *testing.T, n int) *loading {
	return prepare(t, "pid", "@", "burst", "0", strconv.Itoa(n))
}

// traceRate checks that n calls are shown, and returns the size of the buffer that
// was used for it, in KiB per CPU.
func traceRate(t *testing.T, n int) (buffer int) {
	l := loadRate(t, n)
	tr := startTrace(t, "-p", l.pid, "generic_file_llseek(file, offset, whence)")
	buffer = tr.buffer()
	l.run()
	tr.end()
	tr.complete(int64(n))
	return buffer
}
