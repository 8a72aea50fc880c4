//go:build vm

package trace_test

import (
	"bytes"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// TestVMPanicArming panics in what Arm calls, at each step that it reports: nothing is left,
// though there is no Trace yet that could be closed.
func TestVMPanicArming(t *testing.T) {
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	for ; panicsAt(t, host.New(fs), step); step++ {
		probes, err := fs.ReadFile("kprobe_events")
		if err != nil {
			t.Fatal(err)
		}
		if left := fs.Glob("instances/tsnoop*"); len(left) > 0 || bytes.Contains(probes, []byte("tsnoop")) {
			t.Errorf("step %d: left behind are %s and\n%s", step, left, probes)
		}
	}
	if step < 3 {
		t.Errorf("Arm has reported %d steps", step-1)
	}
}

// panicsAt arms a trace with a panic at the n-th step, and reports whether there is such
// a step.
func panicsAt(t *testing.T, h *host.Host, n int) (panicked bool) {
	t.Helper()
	plans, err := h.Plan([]string{"generic_file_llseek(offset, return)", "vfs_read(count)"}, host.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { panicked = recover() != nil }()
	steps := 0
	tr, err := trace.Arm(t.Context(), h, plans, trace.Options{Progress: func(string, int, int) {
		if steps++; steps == n {
			panic("on purpose")
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	steps = n // steps of Close do not count
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	return false
}
