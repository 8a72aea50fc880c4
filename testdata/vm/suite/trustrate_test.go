//go:build vm

package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTrustRate floods one of two probes, which is switched off while the other one goes
// on, and then also the other one.
func TestTrustRate(t *testing.T) {
	tr := startTrace(t, "--max-rate", "200", "generic_file_llseek(offset)", "do_sys_openat2(filename:ustring)")
	flood := exec.Command("load", "burst", "0", "200000x20")
	if err := flood.Start(); err != nil {
		t.Fatal(err)
	}
	at := tr.says(0, "generic_file_llseek has \\d+ events a second: its probe is switched off, and further calls are not shown; --max-rate 0 lets it go on")
	flood.Process.Kill()
	flood.Wait()
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

// TestTrustRiskyFunctions asks before it arms what every CPU does all the time, but not for what
// has only such a name.
func TestTrustRiskyFunctions(t *testing.T) {
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
		m := regexp.MustCompile(`(?m)^tsnoop: there were (\d+) calls a second of .*: to trace them all may bring this host to a stop$`).FindSubmatch(out)
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || m == nil || !bytes.Contains(out, []byte("hint: use --force to trace them anyway")) {
			t.Errorf("%s: %v\n%s", spec, err, out)
			continue
		}
		n, _ := strconv.Atoi(string(m[1]))
		figure(t, "calls a second of "+spec, n)
		cleanly(t)
	}
	if out, err := exec.Command("tsnoop", "--force", "-n", "1", "ktime_get()").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("ktime_get()")) {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := exec.Command("tsnoop", "rcu_barrier()", "do_exit()", "--", "true").CombinedOutput()
	if lines := strings.Split(string(out), "\n"); err != nil || len(lines) != 2 || !strings.Contains(lines[0], "do_exit()") {
		t.Errorf("%v\n%s", err, out)
	}
	cleanly(t)
}

// floodedArgs trace what flood calls: the first function until it is called too often.
var floodedArgs = []string{"--max-rate=1000", "ksys_lseek(whence:u)", "do_sys_openat2(how->flags)"}

// seekOn calls lseek(2) with SEEK_CUR in a loop until stop is called, which returns how often:
// much more than a thousand times a second, but with pauses, or most of what an emulated machine
// does would be these calls, and to show them.
func seekOn(f *os.File) (stop func() int) {
	over, made := make(chan bool), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-over:
				made <- n
				return
			default:
				unix.Seek(int(f.Fd()), 0, unix.SEEK_CUR)
				if n%50 == 49 {
					time.Sleep(2 * time.Millisecond)
				}
			}
		}
	}()
	return func() int {
		close(over)
		return <-made
	}
}

// flood calls the first function of floodedArgs in a loop until it is switched off, with
// SEEK_CUR, and then a hundred times with SEEK_END. Then it calls the other one. It returns how
// often it has called the first one in the loop.
func (tr *traced) flood(f *os.File) (calls int) {
	tr.t.Helper()
	stop := seekOn(f)
	tr.await("the probe to be switched off", func() bool { return strings.Contains(tr.said(), "tsnoop: ksys_lseek has ") })
	calls = stop()
	for range 100 {
		unix.Seek(int(f.Fd()), 0, unix.SEEK_END)
	}
	os.Open("/no/such/file")
	return calls
}

// TestVMRateShort has a probe switched off that is hit in a loop: few of the calls until
// then are shown, none of those after it, and all of the other probe.
func TestVMRateShort(t *testing.T) {
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr := startTrace(t, append([]string{"-t", "none"}, floodedArgs...)...)
	calls := tr.flood(f)
	tr.end()
	out, err := os.ReadFile(tr.out)
	if err != nil {
		t.Fatal(err)
	}
	shown, after := bytes.Count(out, []byte("ksys_lseek(whence=1)")), bytes.Count(out, []byte("ksys_lseek(whence=2)"))
	t.Log(tr.said())
	figure(t, "calls in a loop", calls)
	figure(t, "of them shown", shown)
	if shown < 1000 || shown > calls || after > 0 || !bytes.Contains(out, []byte("do_sys_openat2(")) {
		t.Errorf("%d of %d calls are shown, and %d that were made after the probe was switched off\n%s", shown, calls, after, tr.said())
	}
	cleanly(t)
}

// TestVMRateReported has a probe switched off that is hit in a loop: whatever shows the calls,
// live, from a recording or from what a killed recorder has left, has a line that names the
// function and the time, and no call of it that began later.
func TestVMRateReported(t *testing.T) {
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, name := range []string{"live", "recorded", "recovered"} {
		t.Run(name, func(t *testing.T) {
			file, args := filepath.Join(t.TempDir(), "t.dat"), []string{"--json", "--summary", "-i", "100ms"}
			if name != "live" {
				args = []string{"record", "-o", file}
			}
			tr := startTrace(t, append(args, floodedArgs...)...)
			made := tr.flood(f)
			var out []byte
			switch name {
			case "live":
				later := regexp.MustCompile(`(?m)^{"summary":"ksys_lseek",.*"interval":true,"calls":0,.*"switched_off_ns":\d+}$`)
				tr.await("an interval without its calls", func() bool { out, _ = os.ReadFile(tr.out); return later.Match(out) })
				tr.end()
				out, err = os.ReadFile(tr.out)
			case "recovered":
				tr.await("the head to be replaced, and a page", func() bool {
					head, _ := os.ReadFile(file + ".head")
					pages, _ := filepath.Glob(file + ".cpu*")
					some := func(name string) bool { st, err := os.Stat(name); return err == nil && st.Size() > 0 }
					return bytes.Contains(head, []byte(`"Limit":1000`)) && slices.ContainsFunc(pages, some)
				})
				tr.cmd.Process.Kill()
				<-tr.done
				if said, err := exec.Command("tsnoop", "record", "--recover", file).CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				exec.Command("tsnoop", "clean").Run()
			default:
				tr.end()
			}
			if name != "live" {
				var said bytes.Buffer
				cmd := exec.Command("tsnoop", "replay", "--json", file)
				cmd.Stderr = &said
				out, err = cmd.Output()
				if !regexp.MustCompile(`(?m)^tsnoop: ksys_lseek had \d+ events a second: its probe was switched off at \d+\.\d{6}, and later calls were not recorded$`).Match(said.Bytes()) {
					t.Errorf("said: %s", &said)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			checkSwitchedOff(t, out, made)
			cleanly(t)
		})
	}
}

// TestVMRateSince has a function called too often that a spec needs only for since: the spec is
// switched off as well, since it would show the time of an earlier call, and is what is reported.
func TestVMRateSince(t *testing.T) {
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tr := startTrace(t, "-t", "none", "--max-rate=1000", "ksys_read(fd, since(fd, ksys_lseek(fd)))")
	defer seekOn(f)()
	if err := <-tr.done; err != nil {
		t.Errorf("%v", err)
	}
	want := `^tsnoop: ksys_read\(fd, since\(fd, ksys_lseek\(fd\)\)\) has \d+ events a second: its probe is switched off, .*\ntsnoop: all probes are switched off: the trace ends\n`
	if said := tr.said(); !regexp.MustCompile(want).MatchString(said) {
		t.Errorf("said: %s", said)
	}
	cleanly(t)
}

// checkSwitchedOff checks what JSON shows of flood, which has made so many calls in its loop.
func checkSwitchedOff(t *testing.T, out []byte, made int) {
	t.Helper()
	var off []uint64
	begun, last := 0, uint64(0)
	for line := range bytes.Lines(out) {
		var of struct {
			Func, Spec string
			Off        string `json:"switched_off"`
			Time       uint64 `json:"ts_ns"`
			Rate       int
			Max        int `json:"max_rate"`
		}
		if err := json.Unmarshal(line, &of); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch {
		case of.Off == "ksys_lseek" && of.Spec == "ksys_lseek(whence:u)" && of.Rate > 1000 && of.Max == 1000:
			off = append(off, of.Time)
		case of.Off != "":
			t.Errorf("%s", line)
		case of.Func == "ksys_lseek":
			begun, last = begun+1, max(last, of.Time)
		}
	}
	figure(t, "calls until it was switched off", begun)
	if len(off) != 1 || begun == 0 || begun > made || last > off[0] {
		t.Errorf("switched off at %v, with %d of %d calls, the last at %d", off, begun, made, last)
	}
}
