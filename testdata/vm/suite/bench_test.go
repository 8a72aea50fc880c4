//go:build vm

package suite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/btf"
	"golang.org/x/sys/unix"
)

// TestBenchStart compares how long a command takes from start to end, medians
// of some runs in turn; few do where bench.sh has the VM count instructions. It
// only prints: what the figures mean is up to whoever reads them.
func TestBenchStart(t *testing.T) {
	const runs = 5
	tsnoop, err := exec.LookPath("tsnoop")
	if err != nil {
		t.Fatal(err)
	}
	specs := manySpecs(t, 200)
	commands := []struct {
		name string
		args []string
	}{
		{"tsnoop --emit, 1 spec", []string{tsnoop, "--emit", "ip_rcv(skb->len, dev->name)"}},
		{"tsnoop --emit, 200 specs", append([]string{tsnoop, "--emit"}, specs...)},
		{"tsnoop info", []string{tsnoop, "info", "ip_rcv"}},
	}
	if ksnoop, err := exec.LookPath("ksnoop"); err == nil {
		commands = append(commands, struct {
			name string
			args []string
		}{"ksnoop info", []string{ksnoop, "info", "ip_rcv"}})
	} else {
		t.Log("without ksnoop, which is not in this virtual machine")
	}
	times := make([][]time.Duration, len(commands))
	for range runs {
		for i, c := range commands {
			start := time.Now()
			if out, err := exec.Command(c.args[0], c.args[1:]...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", c.name, err, out)
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	base := median(times[0])
	for i, c := range commands {
		m := median(times[i])
		fmt.Fprintf(os.Stdout, "%-26s %8.1f ms  %5.2f of the first\n", c.name, float64(m.Microseconds())/1000, float64(m)/float64(base))
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}

// manySpecs are specs of n different functions, each with its first pointer.
func manySpecs(t *testing.T, n int) []string {
	funcs := probeable(t, testKernel())
	var specs []string
	for _, c := range funcs[:n] {
		members := btf.Members(pointeeOf(c.param.Type))
		specs = append(specs, fmt.Sprintf("%s(%s, &%s->%s)", c.fn.Name, c.param.Name, c.param.Name, strings.TrimSpace(members[0])))
	}
	return specs
}

// A reading is an event that each lseek(2) of the load is, as tsnoop and as a peer trace it.
type reading struct {
	spec string
	peer func(t *testing.T, pid string, bufferKB int) *peer
}

// TestBenchReading compares the CPU time, of user and system, that an event
// costs which tsnoop prints with what it costs to copy trace_pipe. Both write to
// /dev/null, and share one CPU with the load.
func TestBenchReading(t *testing.T) {
	reading{"generic_file_llseek(file, offset, whence)", newPeer}.compare(t, 200_000)
}

// compare prints what n events cost each reader.
func (r reading) compare(t *testing.T, n int) {
	onOneCPU(t)
	readers := []struct {
		name string
		run  func(n int) time.Duration
	}{
		{"cat trace_pipe", func(n int) time.Duration { return r.cat(t, n) }},
		{"tsnoop", func(n int) time.Duration { return r.tsnoop(t, n) }},
		{"tsnoop --json", func(n int) time.Duration { return r.tsnoop(t, n, "--json") }},
		{"tsnoop --summary=only", func(n int) time.Duration { return r.tsnoop(t, n, "--summary=only") }},
		{"tsnoop record", func(n int) time.Duration { return r.record(t, n) }},
	}
	var base float64
	for i, reader := range readers {
		spent := reader.run(n+1) - reader.run(1) // what the first one costs is the start
		us := float64(spent.Nanoseconds()) / 1000 / float64(n)
		if i == 0 {
			base = us
		}
		fmt.Printf("%-22s %8.3f us of CPU time an event  1/%.1f of the first\n", reader.name, us, base/us)
	}
}

// onOneCPU has this test and the programs it starts run on CPU 0 only. With two
// emulated CPUs that take turns, the time of one would be counted for the other.
func onOneCPU(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	var old, one unix.CPUSet
	one.Set(0)
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		t.Fatal(err)
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.SchedSetaffinity(0, &old) })
}

// benchBuffer is large enough for all events, so that none is lost.
const benchBuffer = 32 << 10 // KiB

func (r reading) tsnoop(t *testing.T, n int, flags ...string) time.Duration {
	t.Helper()
	return r.run(t, n, append(flags, "-o", "/dev/null")...)
}

func (r reading) record(t *testing.T, n int) time.Duration {
	t.Helper()
	return r.run(t, n, "record", "-o", filepath.Join(t.TempDir(), "trace.dat"))
}

// run traces n calls and returns what tsnoop needs for it, from its start to its end.
func (r reading) run(t *testing.T, n int, args ...string) time.Duration {
	t.Helper()
	l := prepare(t, "pid", "@", "burst", "0", strconv.Itoa(n))
	tr := startTrace(t, append(args, "-b", fmt.Sprint(benchBuffer), "-p", l.pid, r.spec)...)
	l.run()
	tr.end()
	if said := tr.said(); said != "" && args[0] != "record" {
		t.Error(said)
	}
	return cpuTime(tr.cmd)
}

func (r reading) cat(t *testing.T, n int) (cpu time.Duration) {
	t.Run("", func(t *testing.T) { // to take the peer down
		l := prepare(t, "pid", "@", "burst", "0", strconv.Itoa(n))
		p := r.peer(t, l.pid, benchBuffer)
		cmd := p.cat()
		l.run()
		for p.stats().Entries > 0 {
			time.Sleep(10 * time.Millisecond)
		}
		if st := p.stats(); st.Overrun > 0 || st.Read != uint64(n) {
			t.Errorf("%d events: %+v", n, st)
		}
		cmd.Process.Kill()
		cmd.Wait()
		cpu = cpuTime(cmd)
	})
	return cpu
}

// cpuTime is exact though the kernels here count user and system time by ticks of
// 4 ms: it scales them so that their sum is what the scheduler has measured
// (cputime_adjust in kernel/sched/cputime.c).
func cpuTime(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
