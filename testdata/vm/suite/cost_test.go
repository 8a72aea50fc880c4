//go:build vm

package suite

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	about    = `about [0-9.]+ us`
	estimate = `, an estimate from test probes measured in [0-9.]+ m?s`
)

// TestVMCost: --explain shows what a call costs here, and a trace with -v what its hits have
// cost, of which there are as many as calls were made, whether their events were kept or not.
// Nothing is left of the test probes.
func TestVMCost(t *testing.T) {
	before := emittedState(t)
	defer func() {
		nothingLeft(t)
		if after := emittedState(t); after != before {
			t.Errorf("got %q, want %q", after, before)
		}
	}()
	expectLines(t, explained(t, "udp_sendmsg(len, return)"), "  cost: "+about+" a call on this host"+estimate)
	expectLines(t, explained(t, "-p", "1", "udp_sendmsg(len, return)"), "  cost: "+about+" a call on this host, [0-9.]+ us if the task is not traced"+estimate)
	if out := explained(t, "--kernel", "6.12", "udp_sendmsg(len)"); strings.Contains(out, "cost:") {
		t.Errorf("--kernel is about another host, but its cost is shown:\n%s", out)
	}

	tr := startTrace(t, "-v", "udp_sendmsg(len)", "udp_sendmsg(len, return) if len == 3")
	makeCalls(t, "times", "50", "udp", "3", "4")
	tr.end()
	one := "cost of udp_sendmsg: 100 hits, " + about + " each, [0-9.]+ [mu]?s of processor time"
	expectLines(t, tr.said(), "tsnoop: "+one, "tsnoop: "+one, "tsnoop: cost of all functions: 200 hits, "+about+" each, [0-9.]+ [mu]?s of processor time"+estimate)

	tr = startTrace(t, "-v", "-p", "1", "udp_sendmsg(len)")
	makeCalls(t, "udp", "3", "4", "5")
	tr.end()
	expectLines(t, tr.said(), "tsnoop: cost of udp_sendmsg: 3 hits by all tasks, [0-9.]+ us to [0-9.]+ us each, [0-9.]+ [mu]?s to [0-9.]+ [mu]?s of processor time"+estimate)

	tr = startTrace(t, "udp_sendmsg(len)")
	makeCalls(t, "udp", "3")
	tr.end()
	if strings.Contains(tr.said(), "cost") {
		t.Errorf("without -v:\n%s", tr.said())
	}
}

// TestVMCostInterrupted: a signal that arrives while test probes are measured leaves nothing
// behind, and after SIGKILL tsnoop clean finds what was left.
func TestVMCostInterrupted(t *testing.T) {
	waits := []time.Duration{time.Millisecond, 100 * time.Millisecond, 20 * time.Millisecond, 300 * time.Millisecond}
	for i, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		before := emittedState(t)
		some := waits // each of them with some signal
		if size(0, 1) == 0 {
			some = [][]time.Duration{waits[:2], waits[2:3], waits[2:]}[i]
		}
		for _, wait := range some {
			tr := beginTrace(t, "--explain", "udp_sendmsg(len)")
			tr.await("test probes", testProbes)
			time.Sleep(wait)
			tr.cmd.Process.Signal(sig)
			err := <-tr.done
			if sig != syscall.SIGKILL {
				if err != nil {
					t.Errorf("%v: %v\n%s", sig, err, tr.said())
				}
			} else if out, err := exec.Command("tsnoop", "clean").CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			nothingLeft(t)
			if after := emittedState(t); after != before {
				t.Errorf("%v after %v: got %q, want %q", sig, wait, after, before)
			}
		}
	}
}

// TestVMCostGivenUp: a second signal while test probes are measured ends that. All calls have
// been shown by then.
func TestVMCostGivenUp(t *testing.T) {
	tr := startTrace(t, "-v", "-p", "1", "udp_sendmsg(len)")
	makeCalls(t, "udp", "3")
	tr.cmd.Process.Signal(syscall.SIGINT)
	tr.await("test probes", testProbes)
	time.Sleep(1100 * time.Millisecond) // before, it would count as the first signal
	tr.cmd.Process.Signal(syscall.SIGINT)
	<-tr.done
	if said := tr.said(); strings.Contains(said, "not shown") {
		t.Error(said)
	}
	nothingLeft(t)
}

// testProbes reports whether there are any.
func testProbes() bool {
	probes, _ := filepath.Glob(filepath.Join(tracing, "instances/tsnoop_*/events/tsnoop_*/*_first"))
	return len(probes) > 0
}

// explained returns what --explain prints. It prints nothing to stderr.
func explained(t *testing.T, args ...string) string {
	t.Helper()
	var said strings.Builder
	cmd := exec.Command("tsnoop", append([]string{"--explain"}, args...)...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("--explain %q: %v\n%s", args, err, said.String())
	}
	return string(out)
}

// makeCalls runs load.
func makeCalls(t *testing.T, words ...string) {
	t.Helper()
	if out, err := exec.Command("load", words...).CombinedOutput(); err != nil {
		t.Fatalf("load %q: %v\n%s", words, err, out)
	}
}

// expectLines requires that the lines with the word cost are as these, each in full.
func expectLines(t *testing.T, text string, want ...string) {
	t.Helper()
	var got []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "cost") {
			got = append(got, strings.TrimSuffix(line, "\n"))
		}
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !regexp.MustCompile("^(?:"+want[i]+")$").MatchString(got[i]) {
			t.Fatalf("got %q, want %q\n%s", got, want, text)
		}
	}
}
