//go:build vm

package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// busySpecs are functions that call one another in each lseek(2), outermost first.
var busySpecs = []string{"ksys_lseek(offset, return)", "generic_file_llseek(offset, return)", "generic_file_llseek_size(offset, return)"}

// busyPace is how a thread calls: 10 times as fast as it can, and then it sleeps 20 ms or more,
// see testdata/load. Without the sleep the emulated CPUs have no time left for tsnoop.
const busyPace = "10000000x10-"

// busyTime is how long a trace takes in which each thread calls: longer than it sleeps.
const busyTime = "300ms"

// busy makes a thread on each CPU call lseek(2). Each numbers its calls by their offsets,
// the i-th thread from i<<32 on.
func busy(t *testing.T) {
	t.Helper()
	words := []string{"crew", "@", busyPace}
	for cpu := range runtime.NumCPU() {
		words = append(words, strconv.Itoa(cpu))
	}
	l := prepare(t, words...)
	if err := os.WriteFile(l.file+".go", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { <-l.ended })
	t.Cleanup(func() { l.cmd.Process.Kill() })
}

// TestVMBusyThreads traces threads that never stop to call: from the first call of a thread
// that is shown to the last, each is shown once, and each whole, with the calls that it
// makes.
func TestVMBusyThreads(t *testing.T) {
	busy(t)
	for _, test := range []struct {
		name  string
		flags []string
		specs []string
		depth int // calls nested in each
	}{
		{"one function", []string{"-n", "200"}, busySpecs[:1], 1},
		{"text", []string{"--reader=text"}, busySpecs[1:2], 1},
		{"chain", []string{"--chain"}, busySpecs, 3},
		{"tree", []string{"--tree"}, []string{busySpecs[0], "generic_file_llseek*(offset, return)"}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"--json", "--max-rate=0", "-b", "4096", "--duration=" + busyTime}, test.flags...)
			checkBusy(t, beginTrace(t, append(args, test.specs...)...), test.depth)
		})
	}
	t.Run("recording", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "trace.dat")
		out, err := exec.Command("tsnoop", append([]string{"record", "-o", file, "--max-rate=0", "-b", "4096", "--duration=" + busyTime}, busySpecs...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		checkBusy(t, beginTrace(t, "replay", file, "--json", "--chain"), 3)
	})
}

// checkBusy checks the calls of a trace that ends by itself. depth is how many calls
// are nested: they have the same offset, and of each the return.
func checkBusy(t *testing.T, tr *traced, depth int) {
	t.Helper()
	tr.ended()
	if said := tr.said(); strings.Contains(said, "lost") || strings.Contains(said, "missed") {
		t.Fatal(said)
	}
	type key struct {
		thread int64
		fn     string
	}
	last, seen, open := map[key]int64{}, 0, map[int]int64{}
	tr.lines(func(line []byte) {
		var c jsonCall
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		offset := c.number(0)
		switch c.Part {
		case "begin":
			if c.Depth >= depth {
				t.Fatalf("nested too deep: %s", line)
			}
			open[c.Call] = offset
			return
		case "end":
			offset = open[c.Call]
			delete(open, c.Call)
		}
		if c.Unfinished || c.Orphan || c.Ret == nil || offset < 0 {
			t.Fatalf("not a whole call: %s\n%s", line, tr.said())
		}
		seen++
		k := key{offset >> 32, c.Func}
		if n, some := last[k]; some && offset != n+1 {
			t.Fatalf("call %d of a thread comes after call %d: %s", offset&(1<<32-1), n&(1<<32-1), line)
		}
		last[k] = offset
	})
	if len(open) > 0 {
		t.Errorf("%d calls without their end", len(open))
	}
	if seen == 0 {
		t.Fatalf("no call\n%s", tr.said())
	}
	t.Logf("%d calls of %d functions and threads", seen, len(last))
}

// TestVMBusyEdits switches probes off and on, and has modules come and go, under threads that never stop to call.
// Calls may be missing meanwhile, but none is shown in part.
func TestVMBusyEdits(t *testing.T) {
	busy(t)
	t.Run("watch", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "specs")
		write := func(specs ...string) {
			if err := os.WriteFile(file, []byte(strings.Join(specs, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		write(busySpecs[0])
		tr := startTrace(t, "--json", "--max-rate=0", "-b", "4096", "-F", file, "--reload")
		at := 0
		for _, specs := range [][]string{busySpecs[1:], busySpecs[:1], busySpecs[1:2]} {
			write(specs...)
			at = tr.says(at, ".*: \\d specs?, .*")
		}
		tr.cmd.Process.Signal(os.Interrupt)
		checkWhole(t, tr)
	})
	t.Run("module", func(t *testing.T) {
		exec.Command("rmmod", "veth").Run()
		tr := startTrace(t, "--json", "--max-rate=0", "-b", "4096", "--wait-module", busySpecs[0], "veth:veth_open()")
		at := 0
		for _, step := range [][]string{{"insmod", "/lib/modules/tsnoop/veth.ko"}, {"rmmod", "veth"}, {"insmod", "/lib/modules/tsnoop/veth.ko"}} {
			if out, err := exec.Command(step[0], step[1]).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			at = tr.says(at, ".*module veth was (un)?loaded: veth_open.*")
		}
		tr.cmd.Process.Signal(os.Interrupt)
		checkBusy(t, tr, 1)
	})
	t.Run("restore", func(t *testing.T) {
		tr := startTrace(t, append([]string{"--json", "--max-rate=0", "-b", "4096", "--on-tamper=restore"}, busySpecs...)...)
		group := fmt.Sprintf("tsnoop_%d", tr.cmd.Process.Pid)
		instance := filepath.Join(tracing, "instances", group)
		at := 0
		for _, off := range []string{"tracing_on", "events/" + group + "/enable"} {
			if err := os.WriteFile(filepath.Join(instance, off), []byte("0"), 0); err != nil {
				t.Fatal(err)
			}
			at = tr.says(at, ".*enabled again, and.*")
		}
		tr.cmd.Process.Signal(os.Interrupt)
		checkWhole(t, tr)
	})
	t.Run("rate", func(t *testing.T) {
		tr := startTrace(t, "--json", "--max-rate=100", "-b", "4096", busySpecs[1], "do_sys_openat2(return)")
		tr.says(0, ".*its probe is switched off.*")
		time.Sleep(pause)
		tr.cmd.Process.Signal(os.Interrupt)
		checkWhole(t, tr)
	})
}

// checkWhole checks that no call is shown in part, and that those of each thread and
// function come in their order.
func checkWhole(t *testing.T, tr *traced) {
	t.Helper()
	tr.ended()
	last := map[string]int64{}
	for _, c := range tr.calls() {
		if len(c.Args) == 0 { // a sum, or a report
			continue
		}
		k := fmt.Sprint(c.Func, c.number(0)>>32)
		if n, some := last[k]; c.Unfinished || c.Orphan || some && c.number(0) <= n {
			t.Fatalf("not a whole call, after %d: %+v\n%s", n, c, tr.said())
		}
		last[k] = c.number(0)
	}
	if len(last) == 0 {
		t.Fatalf("no calls\n%s", tr.said())
	}
}
