//go:build vm

package suite

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestVMPanicGoroutine ends tsnoop in the middle of a trace as a panic in one of its
// goroutines does: the runtime prints stacks and nothing is undone. What that
// leaves the next run removes by itself, and so does "tsnoop clean".
func TestVMPanicGoroutine(t *testing.T) {
	l := prepare(t, "pid", "@", "burst", "0", "1000000x1-")
	defer l.cmd.Process.Kill()
	panicked := func() (group string) {
		tr := startTrace(t, "-p", l.pid, "generic_file_llseek(offset, return)")
		if err := tr.cmd.Process.Signal(unix.SIGABRT); err != nil {
			t.Fatal(err)
		}
		if err := <-tr.done; err == nil || !strings.Contains(tr.said(), "goroutine ") {
			t.Errorf("no panic: %v\n%s", err, tr.said())
		}
		group = "tsnoop_" + strconv.Itoa(tr.cmd.Process.Pid)
		if !strings.Contains(probes(t), group) {
			t.Errorf("it has cleaned up, so this test shows nothing:\n%s", probes(t))
		}
		return group
	}
	group := panicked()
	out, err := exec.Command("tsnoop", "clean").CombinedOutput()
	if want := "removed instance " + group + " and 2 probes\nremoved instance " + group + "_2 and 1 probe\n"; err != nil || string(out) != want {
		t.Errorf("clean: %v, got %q, want %q", err, out, want)
	}
	nothingLeft(t)

	panicked()
	startTrace(t, "vfs_read(count) if count == 1234567").end()
	nothingLeft(t)
}
