//go:build vm

package suite

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// byTracepoint is an event of machines without kprobes too, like that which runs
// "make bench HOST=1": figures of real hardware.
var byTracepoint = reading{"syscalls:sys_enter_lseek(fd, offset, whence)", func(t *testing.T, pid string, bufferKB int) *peer {
	p := newInstance(t)
	p.watch(pid, bufferKB, "syscalls/sys_enter_lseek")
	return p
}}

// TestBenchHost is TestBenchReading with a tracepoint, and TestBenchWakeUps.
func TestBenchHost(t *testing.T) {
	byTracepoint.compare(t, 1_000_000)
	byTracepoint.wakeUps(t)
}

// TestBenchWakeUps counts how often threads of tsnoop begin to run while ten events come a
// second, and while none comes: most are of the Go runtime, which looks each 20 us what the
// others do while one of them runs.
func TestBenchWakeUps(t *testing.T) {
	byTracepoint.wakeUps(t)
}

func (r reading) wakeUps(t *testing.T) {
	const while = 5 * time.Second
	tr := startTrace(t, "-p", strconv.Itoa(os.Getpid()), r.spec)
	time.Sleep(time.Second) // what is done once, after the start
	quiet := switches(t, tr.cmd.Process.Pid, while)
	stop, events := make(chan struct{}), 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.Tick(time.Second / 10); ; events++ {
			select {
			case <-tick:
				unix.Seek(-1, 0, 0) // fails, which is an event too
			case <-stop:
				return
			}
		}
	}()
	some := switches(t, tr.cmd.Process.Pid, while)
	close(stop)
	<-done
	tr.end()
	fmt.Printf("%-22s %8.1f wake-ups a second while %d events come in %v, %.1f while none comes\n", "tsnoop", some, events, while, quiet)
	b, err := os.ReadFile(tr.out)
	if err != nil {
		t.Fatal(err)
	}
	if shown := strings.Count(string(b), "sys_enter_lseek("); shown != events {
		t.Errorf("%d events are shown", shown)
	}
}

// switches is how often a second threads of a process gave up their CPU to wait.
func switches(t *testing.T, pid int, while time.Duration) float64 {
	t.Helper()
	count := func() (n int) {
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
		if err != nil || len(files) == 0 {
			t.Fatalf("threads of %d: %v", pid, err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(string(b), "\nvoluntary_ctxt_switches:\t")
			first, _, _ := strings.Cut(rest, "\n")
			more, err := strconv.Atoi(first)
			if err != nil {
				t.Fatal(err)
			}
			n += more
		}
		return n
	}
	before := count()
	time.Sleep(while)
	return float64(count()-before) / while.Seconds()
}
