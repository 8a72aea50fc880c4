//go:build vm

package suite

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/sys/unix"
)

// TestTrustSoak has four probes see many events. Each call is one line; the memory
// and the open files after a tenth of them are those at the end.
func TestTrustSoak(t *testing.T) {
	const probes = 4
	calls := size(24_000, 10_000_000) / probes
	// The test is about time, not about how fast it can be: calls are made when there is
	// nothing left to read.
	onOneCPU(t)
	l := prepare(t, "pid", "@", "burst", "0", fmt.Sprintf("%dx500", calls/500))
	pid, _ := strconv.Atoi(l.pid)
	if err := unix.Setpriority(unix.PRIO_PROCESS, pid, 19); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("tsnoop", "-b", "8M", "-t", "none", "-p", l.pid, "generic_file_llseek(offset, return)", "generic_file_llseek(o=offset, return)")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	for start := time.Now(); !isArmed(cmd.Process.Pid); time.Sleep(pause) {
		if time.Since(start) > patience {
			t.Fatalf("not armed\n%s", said.String())
		}
	}
	var lines atomic.Int64
	counted := make(chan [2]int64)
	go func() { counted <- countOffsets(out, &lines) }()
	ran := make(chan bool)
	go func() { l.run(); close(ran) }()
	for lines.Load() < int64(calls)*2/10 {
		select {
		case <-ran:
		case <-time.After(pause):
			continue
		}
		break
	}
	early, earlyFiles := residentKB(t, cmd.Process.Pid), openFiles(t, cmd.Process.Pid)
	<-ran
	late, lateFiles := residentKB(t, cmd.Process.Pid), openFiles(t, cmd.Process.Pid)
	cmd.Process.Signal(os.Interrupt)
	sums := <-counted
	if err := cmd.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("tsnoop: %v\n%s", err, said.String())
	}
	if n := lines.Load(); n != int64(2*calls) {
		t.Errorf("%d lines, want %d", n, 2*calls)
	}
	if want := int64(calls) * int64(calls-1) / 2; sums != [2]int64{want, want} {
		t.Errorf("the offsets add up to %v, want %d of each spec", sums, want)
	}
	if late > early+early/4+4096 || lateFiles > earlyFiles {
		t.Errorf("%d KiB and %d files after a tenth of the events, %d and %d at the end", early, earlyFiles, late, lateFiles)
	}
	figure(t, "events", int(lines.Load())*2)
	figure(t, "KiB resident after a tenth", early)
	figure(t, "KiB resident at the end", late)
	figure(t, "open files at the end", lateFiles)
}

// countOffsets reads all lines and adds up the offsets of each of the two specs.
func countOffsets(out interface{ Read([]byte) (int, error) }, lines *atomic.Int64) (sums [2]int64) {
	for s := bufio.NewScanner(out); s.Scan(); {
		lines.Add(1)
		i := 0
		if bytes.Contains(s.Bytes(), []byte("(o=")) {
			i = 1
		}
		sums[i] += max(number(s.Bytes(), "(offset="), number(s.Bytes(), "(o="))
	}
	return sums
}

// residentKB is how much memory a process has, in KiB.
func residentKB(t *testing.T, pid int) int {
	t.Helper()
	return kernelFigure(t, fmt.Sprintf("/proc/%d/status", pid), `VmRSS:\s+(\d+)`)
}

// openFiles is how many files a process has open. Some it opens only now and then to look
// what is in them: the least of a few looks counts.
func openFiles(t *testing.T, pid int) int {
	t.Helper()
	least := 0
	for range 10 {
		names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
		if err != nil {
			t.Fatal(err)
		}
		if least == 0 || len(names) < least {
			least = len(names)
		}
		time.Sleep(pause)
	}
	return least
}

// kernelFigure is the number in a kernel's file.
func kernelFigure(t *testing.T, file, pattern string) int {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(pattern).FindSubmatch(b)
	if m == nil {
		t.Fatalf("%s has no %s", file, pattern)
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n
}

// A footprint is what the kernel keeps for its tracers.
type footprint struct {
	Functions, Kprobes, Events, Instances int // how many of each there are
	SlabKB, VmallocKB, PercpuKB           int
}

func takeFootprint(t *testing.T) (f footprint) {
	t.Helper()
	count := func(file string) int {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(b, []byte("\n"))
	}
	f.Functions = count(tracing + "/enabled_functions")
	f.Kprobes = count("/sys/kernel/debug/kprobes/list")
	f.Events = count(tracing + "/kprobe_events")
	names, err := os.ReadDir(tracing + "/instances")
	if err != nil {
		t.Fatal(err)
	}
	f.Instances = len(names)
	f.SlabKB = kernelFigure(t, "/proc/meminfo", `SUnreclaim:\s+(\d+)`)
	f.VmallocKB = kernelFigure(t, "/proc/meminfo", `VmallocUsed:\s+(\d+)`)
	f.PercpuKB = kernelFigure(t, "/proc/meminfo", `Percpu:\s+(\d+)`)
	return f
}

// TestTrustRounds arms and disarms again and again. The kernel's memory for it afterwards
// is what it was after a few rounds.
func TestTrustRounds(t *testing.T) {
	rounds := size(5, 1000)
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	h := host.New(fs)
	specs := []string{"vfs_open(path)", "generic_file_llseek(offset, return) if offset == 7"}
	plans, err := h.Plan(specs, host.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	round := func() {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		armed, err := trace.Arm(ctx, h, plans, trace.Options{BufferKB: 64})
		if err != nil {
			t.Fatal(err)
		}
		if err := armed.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // what is kept for the next time is there then
		round()
	}
	before, files := takeFootprint(t), openFiles(t, os.Getpid())
	for n := openFiles(t, os.Getpid()); n < files; n = openFiles(t, os.Getpid()) {
		files = n
	}
	start := time.Now()
	for i := range rounds {
		if round(); i%100 == 99 {
			t.Logf("%d rounds, %v", i+1, time.Since(start))
		}
	}
	took := time.Since(start)
	var after footprint
	same := func() bool {
		after = takeFootprint(t)
		slab, vmalloc, percpu := after.SlabKB-before.SlabKB, after.VmallocKB-before.VmallocKB, after.PercpuKB-before.PercpuKB
		counts := before
		counts.SlabKB, counts.VmallocKB, counts.PercpuKB = after.SlabKB, after.VmallocKB, after.PercpuKB
		// Other work of the kernel's has its share; a leak of one object of 1 KiB each
		// time would be more from a thousand rounds on.
		return counts == after && slab < 1024 && vmalloc < 512 && percpu < 512
	}
	for deadline := time.Now().Add(patience); !same() && time.Now().Before(deadline); {
		time.Sleep(10 * pause) // the kernel frees later what others may still read
	}
	t.Log(strings.TrimSpace(fmt.Sprintf("before %+v, after %+v", before, after)))
	if !same() {
		t.Errorf("after %d rounds %+v, before them %+v", rounds, after, before)
	}
	// They may be fewer: on a busy machine the first rounds' symbols were still being read.
	if n := openFiles(t, os.Getpid()); n > files {
		t.Errorf("%d files are open, %d were", n, files)
	}
	figure(t, "rounds", rounds)
	figure(t, "ms each", int(took/time.Millisecond)/rounds)
	figure(t, "KiB of slab more", after.SlabKB-before.SlabKB)
	figure(t, "probes and functions more", after.Kprobes-before.Kprobes+after.Functions-before.Functions)
}
