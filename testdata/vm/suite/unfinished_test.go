//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEndsUnfinished ends traces while threads sleep in a function: whether a spec shows
// what the function is given or only what it returns, it counts the calls that began and
// did not end. Those that began before the trace are counted apart.
func TestEndsUnfinished(t *testing.T) {
	const threads = 3
	l := prepare(t, "sleepers", "@", fmt.Sprint(threads), "0")
	args := []string{"--json", "-p", l.pid}
	both := startTrace(t, append(args, "hrtimer_nanosleep(clockid, return) if clockid == 7")...)
	specs := []string{"hrtimer_nanosleep(return)", "sys_clock_nanosleep(return)"}
	if os.Getenv("TSNOOP_VM_KERNEL") == "5.10" {
		specs = specs[:1] // its stacks end at the first function whose return is traced
	}
	returns := startTrace(t, append(args, specs...)...)
	if err := os.WriteFile(l.file+".go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	returns.await("the threads to sleep", func() bool {
		calls, _ := filepath.Glob("/proc/" + l.pid + "/task/*/syscall")
		n := 0
		for _, file := range calls {
			b, _ := os.ReadFile(file)
			switch number, _, _ := strings.Cut(string(b), " "); number {
			case fmt.Sprint(unix.SYS_CLOCK_NANOSLEEP):
				n++
			case fmt.Sprint(unix.SYS_NANOSLEEP): // of Go's own
				return false
			}
		}
		return n == threads
	})
	late := startTrace(t, append(args, "hrtimer_nanosleep(return)")...)
	short := startTrace(t, "--duration=100ms", "-p", l.pid, "hrtimer_nanosleep(return)")
	short.ended()
	for _, tr := range []*traced{both, returns, late} {
		tr.end()
	}
	n := 0
	for _, c := range both.calls() {
		if c.Unfinished {
			n++
		}
	}
	if n != threads {
		t.Errorf("%d calls are unfinished, want %d", n, threads)
	}
	out, err := os.ReadFile(returns.out)
	if want := fmt.Sprintf(`{"func":"hrtimer_nanosleep","unfinished_calls":%d}`, threads); err != nil || !bytes.Contains(out, []byte(want)) {
		t.Errorf("%v\n%s\nwant %s", err, out, want)
	}
	want := ""
	for _, spec := range specs {
		want += fmt.Sprintf("tsnoop: %d calls of %s began and did not end\n", threads, strings.TrimSuffix(spec, "(return)"))
	}
	if returns.said() != want {
		t.Errorf("%q, want %q", returns.said(), want)
	}
	want = fmt.Sprintf("tsnoop: %d calls of hrtimer_nanosleep began before the trace and did not end\n", threads)
	for _, tr := range []*traced{late, short} {
		if tr.said() != want {
			t.Errorf("of calls that began before the trace: %q, want %q", tr.said(), want)
		}
	}
	out, err = os.ReadFile(late.out)
	if want := fmt.Sprintf(`{"func":"hrtimer_nanosleep","unfinished_calls":%d,"earlier":true}`, threads); err != nil || !bytes.Contains(out, []byte(want)) {
		t.Errorf("%v\n%s\nwant %s", err, out, want)
	}
}
