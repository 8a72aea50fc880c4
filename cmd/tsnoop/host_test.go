package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestNoKprobes traces on this host, if its kernel has no kprobes: its own events are
// recorded, and probes of functions are refused with the reason.
func TestNoKprobes(t *testing.T) {
	fs := hostEvents(t)
	if fs.Exists(tracefs.KprobeEvents) {
		t.Skip("this kernel has kprobes: virtual machines test those")
	}
	tsnoop := buildTsnoop(t)
	out, err := exec.Command(tsnoop, "-t", "none", "sched:sched_process_exec(filename)", "--", "/bin/sh", "-c", "/bin/true; exit 0").CombinedOutput()
	if want := `sched:sched_process_exec(filename="/bin/true")`; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("got %v\n%s\nwant %s", err, out, want)
	}
	out, err = exec.Command(tsnoop, "vfs_open", "--", "/bin/true").CombinedOutput()
	if want := "this kernel has no kprobe_events"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("got %v\n%s\nwant %s", err, out, want)
	}
	if left := fs.Glob("instances/tsnoop_*"); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// hostEvents returns the tracefs of this host. It skips where there is none to use.
func hostEvents(t testing.TB) *tracefs.FS {
	t.Helper()
	fs, err := tracefs.Find()
	if err == nil {
		err = fs.Writable()
	}
	if err != nil {
		t.Skip("events of this host cannot be recorded: ", err)
	}
	return fs
}

// BenchmarkTracepoint measures at the speed of this host what an event of the kernel's own
// costs: the call that has it, with nobody tracing, with the event enabled by hand and cat to
// read it, and with tsnoop; and the processor time of both readers. Each round is one of each.
func BenchmarkTracepoint(b *testing.B) {
	fs := hostEvents(b)
	load := filepath.Join(b.TempDir(), "load")
	if out, err := exec.Command("go", "build", "-o", load, "../../testdata/load").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	const calls = 200_000
	tsnoop, timed := buildTsnoop(b), filepath.Join(b.TempDir(), "timed")
	burst := []string{load, "timed", timed, "used", timed + ".used", "burst", "0", strconv.Itoa(calls)}
	ways := []struct {
		name string
		run  func() (reader time.Duration)
	}{
		{"alone", func() time.Duration {
			return cpuOf(b, exec.Command(burst[0], burst[1:]...)) - duration(b, timed+".used")
		}},
		{"by-hand", func() time.Duration { return byHand(b, fs, burst) }},
		{"tsnoop", func() time.Duration {
			args := append([]string{"-b", "16M", "-o", os.DevNull, "syscalls:sys_enter_lseek(offset)", "--"}, burst...)
			return cpuOf(b, exec.Command(tsnoop, args...)) - duration(b, timed+".used")
		}},
	}
	call, reader := make([]time.Duration, len(ways)), make([]time.Duration, len(ways))
	for b.Loop() {
		for i, way := range ways {
			reader[i] += way.run()
			call[i] += duration(b, timed)
		}
	}
	for i, way := range ways {
		b.ReportMetric(float64(call[i].Nanoseconds())/float64(b.N*calls), way.name+"-ns/call")
		if i > 0 {
			b.ReportMetric(float64(reader[i].Nanoseconds())/float64(b.N*calls), way.name+"-reader-ns/call")
		}
	}
}

// byHand runs a program with the event enabled in an instance that cat reads. It returns the
// processor time of cat.
func byHand(b *testing.B, fs *tracefs.FS, program []string) time.Duration {
	dir := filepath.Join(fs.Path(), fmt.Sprintf("instances/bench_%d", os.Getpid()))
	if err := os.Mkdir(dir, 0o750); err != nil {
		b.Fatal(err)
	}
	defer os.Remove(dir)
	set := func(file, value string) {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(value), 0); err != nil {
			b.Fatal(err)
		}
	}
	set("buffer_size_kb", "16384")
	set("events/syscalls/sys_enter_lseek/enable", "1")
	cat := exec.Command("cat", filepath.Join(dir, "trace_pipe"))
	if err := cat.Start(); err != nil {
		b.Fatal(err)
	}
	cpuOf(b, exec.Command(program[0], program[1:]...))
	set("events/syscalls/sys_enter_lseek/enable", "0")
	time.Sleep(100 * time.Millisecond) // until cat has read all
	cat.Process.Kill()
	cat.Wait()
	return cat.ProcessState.UserTime() + cat.ProcessState.SystemTime()
}

// cpuOf runs a program. It returns the processor time of it and what it has waited for.
func cpuOf(b *testing.B, cmd *exec.Cmd) time.Duration {
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// duration reads what load has measured.
func duration(b *testing.B, file string) time.Duration {
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	d, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		b.Fatal(err)
	}
	return d
}
