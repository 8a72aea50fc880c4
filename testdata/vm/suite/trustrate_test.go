//go:build vm

package suite

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTrustRate floods one of two probes, which is switched off while the other one goes
// on, and then the other one, too.
func TestTrustRate(t *testing.T) {
	tr := startTrace(t, "--max-rate", "200", "generic_file_llseek(offset)", "do_sys_openat2(filename:ustring)")
	flood := exec.Command("load", "burst", "0", "200000x20")
	if err := flood.Start(); err != nil {
		t.Fatal(err)
	}
	at := tr.says(0, "generic_file_llseek has \\d+ events a second: its probe is switched off, after \\d+ events; --max-rate 0 lets it go on")
	flood.Process.Kill()
	flood.Wait()
	figure(t, "events until it was noticed", int(number([]byte(tr.said()), "after ")))
	if out, err := exec.Command("load", "open", "/goes/on").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tr.await("the other probe's event", func() bool { b, _ := os.ReadFile(tr.out); return bytes.Contains(b, []byte("/goes/on")) })
	tr.end()
	if strings.Contains(tr.said()[at:], "another program") {
		t.Errorf("it takes itself for another program:\n%s", tr.said())
	}
	cleanly(t)
}

// TestTrustRateFeedback shows its lines to a program whose own calls are traced, two for
// each line. The only probe is switched off, and the trace ends.
func TestTrustRateFeedback(t *testing.T) {
	dir := t.TempDir()
	errs := filepath.Join(dir, "err")
	cmd := exec.Command("sh", "-c", "tsnoop --max-rate=30 'vfs_write(count)' 2>"+errs+" | while read -r line; do echo 1; echo 2; done >/dev/null")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	seed := exec.Command("sh", "-c", "while sleep 0.1; do echo x; done >/dev/null")
	if err := seed.Start(); err != nil {
		t.Fatal(err)
	}
	defer seed.Process.Kill()
	err := cmd.Wait()
	said, _ := os.ReadFile(errs)
	t.Logf("%v\n%s", err, said)
	if !regexp.MustCompile(`(?m)^tsnoop: vfs_write has \d+ events a second: its probe is switched off, .*\ntsnoop: all probes are switched off: the trace ends$`).Match(said) {
		t.Error("nothing was noticed")
	}
	cleanly(t)
}

// TestTrustDrown asks before it arms what every CPU does all the time, but not for what
// has only such a name.
func TestTrustDrown(t *testing.T) {
	// Who sleeps a thousand times a second asks for the time as often.
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	for _, spec := range []string{"ktime_get()", "ktime_get*()"} {
		out, err := exec.Command("tsnoop", "-n", "1", spec).CombinedOutput()
		var exit *exec.ExitError
		m := regexp.MustCompile(`(?m)^tsnoop: there were (\d+) calls a second of .*: to trace them all may bring this machine to a stop$`).FindSubmatch(out)
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || m == nil || !bytes.Contains(out, []byte("hint: --yes-really ")) {
			t.Errorf("%s: %v\n%s", spec, err, out)
			continue
		}
		n, _ := strconv.Atoi(string(m[1]))
		figure(t, "calls a second of "+spec, n)
		cleanly(t)
	}
	if out, err := exec.Command("tsnoop", "--yes-really", "-n", "1", "ktime_get()").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("ktime_get()")) {
		t.Errorf("%v\n%s", err, out)
	}
	tr := startTrace(t, "rcu_barrier()")
	tr.end()
	if tr.said() != "" {
		t.Errorf("said: %s", tr.said())
	}
	cleanly(t)
}

// TestEndsRateShort has a probe switched off that is hit in a loop, in a trace of two
// seconds, long before that: few of the loop's calls are shown.
func TestEndsRateShort(t *testing.T) {
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr := startTrace(t, "--max-rate=1000", "--duration=2s", "ksys_lseek(whence)", "do_sys_openat2(how->flags)")
	made := 0
	for over := false; !over; made += 100 {
		for range 100 {
			unix.Seek(int(f.Fd()), 0, unix.SEEK_CUR)
		}
		select {
		case err := <-tr.done:
			tr.done <- err
			over = true
		default:
		}
	}
	tr.ended()
	out, err := os.ReadFile(tr.out)
	if err != nil {
		t.Fatal(err)
	}
	shown := bytes.Count(out, []byte("ksys_lseek("))
	figure(t, "of the calls of 2 s were shown", shown)
	if shown == 0 || shown > made/4 {
		t.Errorf("%d of %d calls are shown", shown, made)
	}
	if !strings.Contains(tr.said(), "tsnoop: ksys_lseek has ") {
		t.Errorf("it says %q", tr.said())
	}
	cleanly(t)
}
