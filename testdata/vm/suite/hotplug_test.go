//go:build vm

package suite

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"
)

const cpu1 = "/sys/devices/system/cpu/cpu1/online"

func online(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// bursts prepares a load of n calls on each of the CPUs; the offsets go on from
// one to the next. pids are theirs, for -p.
func bursts(t *testing.T, n int, cpus ...string) (loads []*loading, pids string) {
	t.Helper()
	var list []string
	for i, cpu := range cpus {
		l := prepare(t, "pid", "@", "on", cpu, "burst", strconv.Itoa(i*n), strconv.Itoa(n))
		loads, list = append(loads, l), append(list, l.pid)
	}
	return loads, strings.Join(list, ",")
}

// TestEndsHotplug takes CPU 1 away while tsnoop runs and gives it back, twice:
// what it had recorded is printed, and so is what comes then, by both readers.
func TestEndsHotplug(t *testing.T) {
	const n = 300
	loads, pids := bursts(t, n, "1", "0", "1", "0", "1")
	var traces []*traced
	for _, reader := range []string{"raw", "text"} {
		traces = append(traces, startTrace(t, append(ofProcesses(reader, pids), "generic_file_llseek(offset)")...))
	}
	t.Cleanup(func() { mustWrite(t, cpu1, "1") })
	for i, l := range loads {
		l.run()
		mustWrite(t, cpu1, strconv.Itoa(i%2))
		if got, want := online(t), []string{"0", "0-1"}[i%2]; got != want {
			t.Fatalf("CPUs %s are online, want %s", got, want)
		}
	}
	for _, tr := range traces {
		tr.end()
		offsets(t, tr, int64(n*len(loads)), func(offset int64) int64 { return 1 - offset/n%2 })
	}
}

// TestHotplugLate has CPU 1 come for the first time while tsnoop runs. test.sh
// gives it a machine of its own, booted with maxcpus=1. What each CPU has its own of is there
// from the first call on.
func TestHotplugLate(t *testing.T) {
	const n = 300
	if got := online(t); got != "0" {
		t.Fatalf("CPUs %s are online, want 0 only: boot with maxcpus=1", got)
	}
	loads, pids := bursts(t, n, "0", "1", "0", "1")
	traces := []*traced{
		startTrace(t, "-t", "none", "-p", pids, "generic_file_llseek(offset, oncpu=this_cpu(runqueues).cpu, me=$current->comm)"),
		startTrace(t, append(ofProcesses("text", pids), "generic_file_llseek(offset)")...),
	}
	for i, l := range loads {
		l.run()
		if i == 0 {
			mustWrite(t, cpu1, "1")
		}
	}
	for _, tr := range traces {
		tr.end()
		offsets(t, tr, int64(n*len(loads)), func(offset int64) int64 { return offset / n % 2 })
	}
	traces[0].lines(func(line []byte) {
		if own, on := number(line, "oncpu="), number(bytes.TrimLeft(line, " "), ""); own != on || !bytes.Contains(line, []byte(`me="load"`)) {
			t.Fatalf("on CPU %d, but what is CPU %d's: %s", on, own, line)
		}
	})
}
