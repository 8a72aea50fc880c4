//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const seekSpec = "generic_file_llseek(offset)"

// named checks that each of n calls of crowd or reuse is one line, under the name of its
// task. It returns how many tasks had the same number as one before.
func (tr *traced) named(n int) (again int) {
	tr.t.Helper()
	seen, tids := map[int64]bool{}, map[string]bool{}
	tr.lines(func(line []byte) {
		i := number(line, "(offset=")
		task, _, _ := strings.Cut(string(line[bytes.Index(line, []byte(" t"))+1:]), " ")
		name, tid, _ := strings.Cut(task, "-")
		if want := fmt.Sprintf("t%d", i); name != want || seen[i] || i < 0 {
			tr.t.Fatalf("a line under the name %s, want %s: %s", name, want, line)
		}
		if tids[tid] {
			again++
		}
		seen[i], tids[tid] = true, true
	})
	if len(seen) != n || tr.said() != "" {
		tr.t.Errorf("%d lines, want %d\n%s", len(seen), n, tr.said())
	}
	return again
}

// TestTrustManyThreads traces a program with many threads, by its number.
func TestTrustManyThreads(t *testing.T) {
	n := size(300, 10_000)
	l := prepareWithin(t, 20*time.Minute, "crowd", "@", strconv.Itoa(n))
	tr := startTrace(t, "-b", "4M", "-p", l.pid, seekSpec)
	l.run()
	tr.end()
	tr.named(n)
	figure(t, "threads at once", n)
}

// TestTrustReuse traces threads that have the numbers of threads before them: no call is
// laid to another task, though the kernel keeps the names of tasks by number.
func TestTrustReuse(t *testing.T) {
	n := size(400, 5000)
	old := strings.TrimSpace(output(t, "/proc/sys/kernel/pid_max"))
	mustWrite(t, "/proc/sys/kernel/pid_max", "420")
	t.Cleanup(func() { mustWrite(t, "/proc/sys/kernel/pid_max", old) })
	l := prepare(t, "reuse", "@", strconv.Itoa(n))
	// All tasks: what is followed by number ends with the task.
	raw := startTrace(t, seekSpec+` if $comm ~ "t[0-9]*"`)
	text := startTrace(t, "--reader=text", seekSpec+` if $comm ~ "t[0-9]*"`)
	l.run()
	raw.end()
	text.end()
	again := raw.named(n)
	text.named(n)
	if again < n/4 {
		t.Errorf("only %d of %d threads had a number of one before", again, n)
	}
	figure(t, "tasks", n)
	figure(t, "of a number used before", again)
}

// TestTrustClock sets the time of day back and forth, and stops tsnoop for a while. The
// times that it shows rise, and nothing is missing.
func TestTrustClock(t *testing.T) {
	const parts, each = 4, 500
	var loads []*loading
	for i := range parts {
		loads = append(loads, prepare(t, "pid", "@", "burst", strconv.Itoa(i*each), strconv.Itoa(each)))
	}
	tr := startTrace(t, "-p", loads[0].pid+","+loads[1].pid+","+loads[2].pid+","+loads[3].pid, "--json", seekSpec)
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME, &now); err != nil {
		t.Fatal(err)
	}
	shift := func(d time.Duration) {
		ts := unix.NsecToTimespec(now.Nano() + d.Nanoseconds())
		if err := unix.ClockSettime(unix.CLOCK_REALTIME, &ts); err != nil {
			t.Fatal(err)
		}
	}
	defer shift(0)
	loads[0].run()
	shift(48 * time.Hour)
	loads[1].run()
	shift(-48 * time.Hour)
	tr.stop()
	loads[2].run()
	time.Sleep(time.Second)
	tr.cmd.Process.Signal(syscall.SIGCONT)
	loads[3].run()
	tr.end()
	var next, last int64
	tr.lines(func(line []byte) {
		at, offset := number(line, `{"ts_ns":`), number(line, `"value":`)
		if offset != next || at <= last || at-last > int64(10*time.Minute) && last != 0 {
			t.Fatalf("offset %d at %d ns after %d at %d: %s", offset, at, next-1, last, line)
		}
		next, last = offset+1, at
	})
	if next != parts*each || tr.said() != "" {
		t.Errorf("%d lines, want %d\n%s", next, parts*each, tr.said())
	}
}

// TestTrustResized has another program change the size of the buffer, and of the parts
// that it is read in, while calls are made. The calls that are shown and those reported
// as lost are all that were made; or tsnoop reports that the trace is not whole.
func TestTrustResized(t *testing.T) {
	for _, tt := range []struct{ file, what, to, back string }{
		{"buffer_size_kb", "the size of the buffers", "64", "2048"},
		{"buffer_subbuf_size_kb", "the size of a page", "16", "4"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			l := prepare(t, "pid", "@", "burst", "0", "40x100")
			tr := startTrace(t, "--json", "-p", l.pid, seekSpec)
			name := filepath.Join(tracing, "instances", fmt.Sprintf("tsnoop_%d", tr.cmd.Process.Pid), tt.file)
			if _, err := os.Stat(name); err != nil {
				tr.end()
				return // before 6.8
			}
			ran := make(chan bool)
			go func() { l.run(); close(ran) }()
			for i := 0; ; i++ {
				os.WriteFile(name, []byte([]string{tt.to, tt.back}[i%2]), 0) // EBUSY while it is read
				select {
				case <-ran:
				case <-time.After(5 * pause):
					continue
				}
				break
			}
			tr.end()
			c := count(tr)
			shown := c.printed
			t.Logf("%d of 4000 shown, %d said to be lost, stderr: %s", shown, c.total, tr.said())
			emptied := "another program has emptied the buffers"
			if shown+c.total != 4000 && !strings.Contains(tr.said(), tt.what) && !strings.Contains(tr.said(), emptied) {
				t.Errorf("%d shown and %d lost, of 4000, and nothing is said\n%s", shown, c.total, tr.said())
			}
		})
	}
}
