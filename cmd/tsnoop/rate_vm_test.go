//go:build vm

package main

import (
	"runtime"
	"strconv"
	"testing"
)

// TestVMRate makes calls so fast that who copies trace_pipe loses some, with the
// same values fetched and the same buffer. tsnoop prints each, in order. All have
// the same CPU, so that the rate is one of work and not of time.
func TestVMRate(t *testing.T) {
	if runtime.GOARCH == "arm64" {
		t.Skip("emulated, a probe takes so long there that text is fast enough")
	}
	onOneCPU(t)
	const n = 1_500_000
	load := func() *loading {
		return prepare(t, "pid", "@", "burst", "0", strconv.Itoa(n))
	}
	l := load()
	tr := startTrace(t, "-p", l.pid, "generic_file_llseek(file, offset, whence)")
	l.run()
	tr.end()
	tr.complete(n)

	l = load()
	p := newPeer(t, l.pid, defaultBuffer())
	cat := p.cat()
	l.run()
	stats := p.stats()
	cat.Process.Kill()
	cat.Wait()
	t.Logf("cat: %d read, %d overwritten, %d not yet read", stats.Read, stats.Overrun, stats.Entries)
	if all := stats.Read + stats.Overrun + stats.Entries; all != n {
		t.Errorf("the other tracer has seen %d events, want %d", all, n)
	}
	if stats.Overrun == 0 {
		t.Errorf("the other tracer has lost nothing; the load is too slow to compare")
	}
}
