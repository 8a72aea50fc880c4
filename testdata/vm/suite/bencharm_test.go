//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBenchArm compares how long tsnoop takes for a thousand functions, from its
// start until they are armed and from Ctrl-C until all is gone, with the same
// lines written to kprobe_events by hand, enabled, disabled and removed. The
// better of two runs each, in turn.
func TestBenchArm(t *testing.T) {
	const functions, rounds = 1000, 2
	specs := idleFunctions(t, functions)
	var arm, disarm [2][]time.Duration
	for range rounds {
		for i, run := range []func(*testing.T, []string) (arm, disarm time.Duration){byHand, byTsnoop} {
			a, d := run(t, specs)
			arm[i], disarm[i] = append(arm[i], a), append(disarm[i], d)
			t.Logf("%s: armed in %.1f s, disarmed in %.1f s", []string{"by hand", "tsnoop"}[i], a.Seconds(), d.Seconds())
			if left := probes(t); left != "" {
				t.Fatalf("left behind:\n%s", left)
			}
		}
	}
	for _, c := range []struct {
		what  string
		times [2][]time.Duration
	}{{"arm", arm}, {"disarm", disarm}} {
		hand, own := slices.Min(c.times[0]), slices.Min(c.times[1])
		fmt.Printf("%-6s %d functions: by hand %6.1f s, tsnoop %6.1f s, %5.2f of that\n",
			c.what, functions, hand.Seconds(), own.Seconds(), own.Seconds()/hand.Seconds())
	}
}

// idleFunctions are specs of functions that nobody calls here, for the calls
// would be measured too.
func idleFunctions(t *testing.T, n int) []string {
	idle := regexp.MustCompile(`^(crypto|nfs|scsi|ata|tcp|udp|ip6|ipv6|inet6|xfrm|netlink|acpi|pci|usb|bpf|btf|cgroup|ext4|fuse|nf|fib6?|dev|blk|bio)_`)
	known := map[string]int{}
	b, err := os.ReadFile(tracing + "/available_filter_functions")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(b), "\n") {
		known[line]++
	}
	refused := blacklist(t)
	names, err := testKernel().FuncNames("vmlinux", "*")
	if err != nil {
		t.Fatal(err)
	}
	var specs []string
	for _, f := range names {
		if len(specs) < n && idle.MatchString(f.Name) && known[f.Name] == 1 && !refused[f.Name] {
			specs = append(specs, f.Name+"()")
		}
	}
	if len(specs) < n {
		t.Fatalf("only %d functions", len(specs))
	}
	return specs
}

func byTsnoop(t *testing.T, specs []string) (arm, disarm time.Duration) {
	dir := t.TempDir()
	cmd := exec.Command("tsnoop", append([]string{"-o", "/dev/null"}, specs...)...)
	tr := &traced{t, cmd, os.DevNull, filepath.Join(dir, "err"), make(chan error, 1)}
	errs, err := os.Create(tr.err)
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	cmd.Stderr = errs
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { tr.done <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })
	group := fmt.Sprintf("tsnoop_%d", cmd.Process.Pid)
	// Looking too often would take the machine's time.
	for b := []byte("0"); b[0] != '1'; time.Sleep(50 * time.Millisecond) {
		if b, err = os.ReadFile(filepath.Join(tracing, "instances", group, "events", group, "enable")); err != nil || len(b) == 0 {
			b = []byte("0")
		}
		if time.Since(start) > 5*patience {
			t.Fatalf("not armed in time\n%s", tr.said())
		}
	}
	arm = time.Since(start)
	time.Sleep(time.Second)
	start = time.Now()
	cmd.Process.Signal(os.Interrupt)
	if err := <-tr.done; err != nil {
		t.Fatalf("tsnoop: %v\n%s", err, tr.said())
	}
	return arm, time.Since(start)
}

// byHand does what somebody with a shell would.
func byHand(t *testing.T, specs []string) (arm, disarm time.Duration) {
	lines := emitted(t, specs)
	p := &peer{t, filepath.Join(tracing, "instances/peer")}
	start := time.Now()
	if err := os.Mkdir(p.dir, 0o750); err != nil {
		t.Fatal(err)
	}
	p.write("trace_clock", "mono")
	p.write("buffer_size_kb", fmt.Sprint(usualBuffer(t)))
	p.write("buffer_percent", "0")
	p.write("set_event_notrace_pid", fmt.Sprint(os.Getpid()))
	for _, line := range lines {
		p.define(line)
	}
	p.write("events/peer/enable", "1")
	arm = time.Since(start)
	time.Sleep(time.Second)
	start = time.Now()
	p.write("tracing_on", "0")
	p.write("events/peer/enable", "0")
	for _, line := range lines {
		_, event, _ := strings.Cut(line, ":")
		event, _, _ = strings.Cut(event, " ")
		p.define("-:" + event)
	}
	if err := os.Remove(p.dir); err != nil {
		t.Fatal(err)
	}
	return arm, time.Since(start)
}

// emitted are the lines that tsnoop would write for specs, in the group of peer.
func emitted(t *testing.T, specs []string) (lines []string) {
	t.Helper()
	out, err := exec.Command("tsnoop", append([]string{"--emit"}, specs...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if kind, rest, ok := strings.Cut(line, ":tsnoop/"); ok {
			lines = append(lines, kind+":peer/"+strings.TrimSpace(rest))
		}
	}
	return lines
}

// usualBuffer is the size of the buffer that tsnoop takes by itself, in KiB per CPU.
func usualBuffer(t *testing.T) int {
	t.Helper()
	tr := startTrace(t, "vfs_read(count) if count == 1234567")
	defer tr.end()
	return tr.buffer()
}
