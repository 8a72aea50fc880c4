//go:build vm

package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestTrustManyRuns has many runs at once, armed at the same time, on the same functions
// and on different ones. In the middle of the calls some are killed: the others see
// each call that is theirs, in order, though another program has the kernel's function
// tracer look at the same function. Other people's probes count on, and nothing of
// theirs is touched.
func TestTrustManyRuns(t *testing.T) {
	others(t)
	before := everything(t)
	hits := othersHits(t)
	n := size(500, 5000)
	first := prepare(t, "pid", "@", "burst", "0", strconv.Itoa(n))
	second := prepare(t, "pid", "@", "burst", strconv.Itoa(n), strconv.Itoa(n))
	specs := []string{"(offset)", "(offset, return)", "(offset, file->f_mode) if offset >= 0"}
	var runs []*traced
	for i := range size(3, 16) {
		runs = append(runs, beginTrace(t, "-t", "none", "-p", first.pid+","+second.pid, "generic_file_llseek"+specs[i%len(specs)]))
	}
	for _, tr := range runs {
		tr.awaitArmed()
	}
	traceFunctions(t)
	first.run()
	killed := 0
	for i := 1; i < len(runs); i += 3 {
		runs[i].cmd.Process.Kill()
		<-runs[i].done
		killed++
	}
	// Another one cleans up after them while the others run.
	if out, err := exec.Command("tsnoop", "clean").CombinedOutput(); err != nil || strings.Count(string(out), "\n") != 2*killed { // with an instance for names each
		t.Errorf("tsnoop clean: %v, and of %d that are dead it names\n%s", err, killed, out)
	}
	second.run()
	mustWrite(t, filepath.Join(tracing, "current_tracer"), "nop")
	mustWrite(t, filepath.Join(tracing, "set_ftrace_filter"), " ")
	events := 0
	for i, tr := range runs {
		if i%3 == 1 {
			continue
		}
		tr.end()
		events += inOrder(t, tr, 2*n)
	}
	if got := othersHits(t) - hits; got < 2*n {
		t.Errorf("another's probe has seen %d calls, want at least %d", got, 2*n)
	}
	before.same(t, everything(t))
	figure(t, "runs at once", len(runs))
	figure(t, "killed", killed)
	figure(t, "events", events)
}

// traceFunctions has another program also trace the function of the runs.
func traceFunctions(t *testing.T) {
	t.Helper()
	mustWrite(t, filepath.Join(tracing, "set_ftrace_filter"), "generic_file_llseek")
	mustWrite(t, filepath.Join(tracing, "current_tracer"), "function")
	t.Cleanup(func() { os.WriteFile(filepath.Join(tracing, "current_tracer"), []byte("nop"), 0) })
}

// inOrder checks that a run has printed a call for each offset up to n.
func inOrder(t *testing.T, tr *traced, n int) (events int) {
	t.Helper()
	tr.lines(func(line []byte) {
		if got := number(line, "(offset="); got != int64(events) {
			t.Fatalf("offset %d comes instead of %d: %s\n%s", got, events, line, tr.said())
		}
		events++
	})
	if events != n || tr.said() != "" {
		t.Errorf("%d lines, want %d\n%s", events, n, tr.said())
	}
	return events
}

// othersHits is how often the probe on lseek that is another's was hit, none of them
// missed.
func othersHits(t *testing.T) int {
	t.Helper()
	f, err := os.Open(filepath.Join(tracing, "kprobe_profile"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := tracefs.ParseProfile(f)
	if err != nil {
		t.Fatal(err)
	}
	h := all["o_seek"]
	if h.Misses > 0 {
		t.Errorf("another's probe has missed %d calls", h.Misses)
	}
	return int(h.Hits)
}
