//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestVMUnfinished ends traces while threads sleep in a function: whether a spec shows
// what the function is given or only what it returns, it counts the calls that began and
// did not end.
func TestVMUnfinished(t *testing.T) {
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
	for _, tr := range []*traced{both, returns} {
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
}

// TestVMSleepsThroughout traces a process that sleeps since before the trace and until after it: a
// spec that shows only returns counts that call, in text and in JSON.
func TestVMSleepsThroughout(t *testing.T) {
	cmd := exec.Command("sleep", "3600") // a Go program would also sleep by itself
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pid := fmt.Sprint(cmd.Process.Pid)
	sleeps := regexp.MustCompile(fmt.Sprintf(`^(%d|%d) `, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP))
	for deadline := time.Now().Add(patience); ; time.Sleep(pause) {
		if b, _ := os.ReadFile("/proc/" + pid + "/syscall"); sleeps.Match(b) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("it does not sleep")
		}
	}
	for _, args := range [][]string{{"--duration=10ms", "-p", pid}, {"--json", "-n", "1", "-p", pid}} {
		tr := beginTrace(t, append(args, "hrtimer_nanosleep(return)")...)
		if args[0] == "--json" {
			tr.awaitArmed()
			tr.end()
		} else {
			tr.ended()
		}
		began := "tsnoop: 1 call of hrtimer_nanosleep began before the trace and did not end\n"
		said := tr.said()
		if args[0] != "--json" { // it has ended by itself, and says why it has shown nothing
			said = regexp.MustCompile("(?m)\\Atsnoop: no call: hrtimer_nanosleep .*\n").ReplaceAllString(said, "")
		}
		if said != began {
			t.Errorf("%q, want %q", tr.said(), began)
		}
		out, err := os.ReadFile(tr.out)
		const want = `{"func":"hrtimer_nanosleep","unfinished_calls":1,"earlier":true}`
		if err != nil || bytes.Contains(out, []byte(want)) != (args[0] == "--json") {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
