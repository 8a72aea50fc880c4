//go:build vm

package suite

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
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

// TestVMHotplug takes CPU 1 away while tsnoop runs and gives it back, twice:
// what it had recorded is printed, and so is what comes then, by both readers.
func TestVMHotplug(t *testing.T) {
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

// TestHotplugLate has CPU 1 come for the first time while tsnoop runs. test.sh gives it
// a machine of its own, booted with maxcpus=1. Per-CPU values are there from the first
// call on.
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

// TestHotplugList compares the lists of CPUs that tsnoop shows with the kernel's own text of the
// same events, in another instance, for tasks that load and unload a module. test.sh runs it
// with four CPUs, since the kernel needs three for such a list.
func TestHotplugList(t *testing.T) {
	for _, cpu := range []string{"1", "2", "3"} {
		mustWrite(t, "/sys/devices/system/cpu/cpu"+cpu+"/online", "1")
	}
	kernel := filepath.Join(tracing, "instances/list")
	if err := os.Mkdir(kernel, 0o700); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(kernel)
	tr := startTrace(t, "-t", "none", "ipi:ipi_send_cpumask(cpumask)")
	enable := filepath.Join(kernel, "events/ipi/ipi_send_cpumask/enable")
	mustWrite(t, enable, "1")
	for range 3 { // to load a module, the kernel changes code, of which it informs all other CPUs
		module(t, "insmod", "dummy")
		module(t, "rmmod", "dummy")
	}
	mustWrite(t, enable, "0")
	text, err := os.ReadFile(filepath.Join(kernel, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	tr.end()
	want := cpuLists(listed(t, string(text)), regexp.MustCompile(`(?m)^ *(?:ins|rm)mod-\d+ +\[00(\d)\].* cpumask=([-,\d]+) callsite=`))
	shown, err := os.ReadFile(tr.out)
	if err != nil {
		t.Fatal(err)
	}
	got := cpuLists(string(shown), regexp.MustCompile(`(?m)^ *(\d) (?:ins|rm)mod-.*cpumask=([-,\d]+)\)$`))
	long := false
	for cpu, lists := range want {
		if !strings.Contains(" "+got[cpu]+" ", " "+lists+" ") {
			t.Errorf("on CPU %s: shows %s, the kernel %s", cpu, got[cpu], lists)
		}
		long = long || strings.Contains(lists, "-")
	}
	if !long {
		t.Errorf("no list has a range: %v", want)
	}
}

// listed returns text of the kernel with its masks of CPUs, in hexadecimal, as lists.
func listed(t *testing.T, text string) string {
	t.Helper()
	return regexp.MustCompile(`cpumask=([,[:xdigit:]]+)`).ReplaceAllStringFunc(text, func(found string) string {
		mask := strings.ReplaceAll(strings.TrimPrefix(found, "cpumask="), ",", "")
		n, err := strconv.ParseUint(mask, 16, 64)
		if err != nil || n >= 1<<4 {
			t.Fatalf("the kernel writes %s: %v", found, err)
		}
		return "cpumask=" + [16]string{"", "0", "1", "0-1", "2", "0,2", "1-2", "0-2", "3", "0,3", "1,3", "0-1,3", "2-3", "0,2-3", "1-3", "0-3"}[n]
	})
}

// cpuLists returns the lists of text, in their order, by the CPU of the event.
func cpuLists(text string, list *regexp.Regexp) map[string]string {
	all := map[string]string{}
	for _, m := range list.FindAllStringSubmatch(text, -1) {
		all[m[1]] = strings.TrimSpace(all[m[1]] + " " + m[2])
	}
	return all
}
