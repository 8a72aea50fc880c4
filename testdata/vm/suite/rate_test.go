//go:build vm

package suite

import (
	"strconv"
	"testing"
)

// TestVMRate makes calls so fast that who copies trace_pipe loses some, with the
// same values fetched and the same buffer. tsnoop prints each, in order. All have
// the same CPU, so that the rate is one of work and not of time. The other tracer is
// compared with on the newest kernel: it takes a flood to have it lose.
func TestVMRate(t *testing.T) {
	onOneCPU(t)
	const all = 1_500_000
	n := flood(all)
	load := func() *loading {
		return prepare(t, "pid", "@", "burst", "0", strconv.Itoa(n))
	}
	l := load()
	tr := startTrace(t, "-p", l.pid, "generic_file_llseek(file, offset, whence)")
	buffer := tr.buffer()
	l.run()
	tr.end()
	tr.complete(int64(n))
	if n < all {
		return
	}

	l = load()
	p := newPeer(t, l.pid, buffer)
	cat := p.cat()
	l.run()
	stats := p.stats()
	cat.Process.Kill()
	cat.Wait()
	t.Logf("cat: %d read, %d overwritten, %d not yet read", stats.Read, stats.Overrun, stats.Entries)
	if seen := stats.Read + stats.Overrun + stats.Entries; seen != all {
		t.Errorf("the other tracer has seen %d events, want %d", seen, n)
	}
	if stats.Overrun == 0 {
		t.Errorf("the other tracer has lost nothing; the load is too slow to compare")
	}
}
