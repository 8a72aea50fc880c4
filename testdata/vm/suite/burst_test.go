//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A loading is a load program that waits until it may go on.
type loading struct {
	t         *testing.T
	cmd       *exec.Cmd
	file, pid string
	ended     chan struct{} // closed when it has
	err       error         // what it has ended with
}

// prepare starts "load WORDS"; @ stands for the file that its pid comes in.
func prepare(t *testing.T, words ...string) *loading {
	t.Helper()
	return prepareWithin(t, patience, words...)
}

// prepareWithin is prepare for a load that may take so long to start.
func prepareWithin(t *testing.T, limit time.Duration, words ...string) *loading {
	t.Helper()
	l := &loading{t: t, file: filepath.Join(t.TempDir(), "pid"), ended: make(chan struct{})}
	for i, w := range words {
		if w == "@" {
			words[i] = l.file
		}
	}
	l.cmd = exec.Command("load", words...)
	l.cmd.Stderr = os.Stderr
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		l.err = l.cmd.Wait()
		close(l.ended)
	}()
	t.Cleanup(func() { l.cmd.Process.Kill() })
	for deadline := time.Now().Add(limit); l.pid == ""; time.Sleep(pause) {
		over := isClosed(l.ended)
		b, err := os.ReadFile(l.file)
		switch {
		case err == nil:
			l.pid = string(b)
		case over:
			t.Fatalf("load %q has ended before it was ready: %v", words, l.err)
		case time.Now().After(deadline):
			t.Fatalf("load %q does not start", words)
		}
	}
	return l
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// run lets the load go and waits for its end.
func (l *loading) run() {
	l.t.Helper()
	if err := os.WriteFile(l.file+".go", nil, 0o644); err != nil {
		l.t.Fatal(err)
	}
	if <-l.ended; l.err != nil {
		l.t.Fatalf("load: %v", l.err)
	}
}

// number reads the integer after a mark in a line, -1 if there is none.
func number(line []byte, mark string) int64 {
	_, rest, ok := bytes.Cut(line, []byte(mark))
	end := 0
	for end < len(rest) && rest[end] >= '0' && rest[end] <= '9' {
		end++
	}
	n, err := strconv.ParseInt(string(rest[:end]), 10, 64)
	if !ok || err != nil {
		return -1
	}
	return n
}

// TestVMBurst traces calls made as fast as can be, with three arguments, in the
// default buffer, faster than who copies trace_pipe can read them: see TestBenchRate.
// Each is printed, in order. All have the same CPU, so that the rate is one of work
// and not of time.
func TestVMBurst(t *testing.T) {
	onOneCPU(t)
	traceRate(t, flood(size(300_000, 1_000_000)))
}

// flood is how many calls a flood of n has on this kernel: all of them on the
// newest, a tenth on the others. Emulated, each takes up to a millisecond, and what
// many calls can show, the kernel's version has no say in.
func flood(n int) int {
	if onNewest() {
		return n
	}
	return n / 10
}

func onNewest() bool { return os.Getenv("TSNOOP_VM_KERNEL") == "newest" }

// TestVMLosses makes more calls than are read, with two threads in the default buffer
// and in a tiny one, in which one thread is enough. The printed calls and those
// reported as lost make up all of them.
func TestVMLosses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags string
		cpus  string
		calls int // of each thread
	}{
		{"tiny", "-b 64K", "0", 100_000},
		{"two threads", "", "0 1", 50_000},
		{"two threads, tiny", "-b 64K", "0 1", 50_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls, cpus := flood(tt.calls), strings.Fields(tt.cpus)
			l := prepare(t, append([]string{"crew", "@", strconv.Itoa(calls)}, cpus...)...)
			args := append(strings.Fields(tt.flags), "--json", "-f", "-p", l.pid, "generic_file_llseek(offset)")
			threads := newThreads(t, l.pid)
			tr := startTrace(t, args...)
			l.run()
			tr.end()
			count(tr).check(t, tr, len(cpus), calls, threads())
		})
	}
}

// A tally is what a trace of a crew has printed.
type tally struct {
	printed  int64
	lost     int64 // sum of the single words about it
	unknown  int   // such words without a number
	total    int64 // lost_total, 0 if there was none
	where    string
	threads  map[int64]int64    // how many were printed of each
	ends     map[int64][2]int64 // the first and the last that was
	disorder []string
}

// count reads JSON lines. The offsets of each thread must rise.
func count(tr *traced) (c tally) {
	last := map[int64]int64{}
	c.threads, c.ends = map[int64]int64{}, map[int64][2]int64{}
	tr.lines(func(line []byte) {
		switch {
		case bytes.HasPrefix(line, []byte(`{"lost_total":`)):
			c.total, c.where = number(line, `{"lost_total":`), string(line)
		case bytes.Contains(line, []byte(`,"lost":`)):
			if n := number(line, `,"lost":`); n >= 0 {
				c.lost += n
			} else {
				c.unknown++
			}
		default:
			c.printed++
			offset := number(line, `"loff_t","value":`)
			thread := offset >> 32
			c.threads[thread]++
			if before, ok := last[thread]; ok && offset <= before {
				c.disorder = append(c.disorder, fmt.Sprintf("%d after %d", offset, before))
			}
			last[thread] = offset
			c.ends[thread] = [2]int64{c.ends[thread][0], offset & (1<<32 - 1)}
			if c.threads[thread] == 1 {
				c.ends[thread] = [2]int64{offset & (1<<32 - 1), offset & (1<<32 - 1)}
			}
		}
	})
	return c
}

// newThreads counts the threads that a process and its threads start. With --json, or
// without -f, tsnoop records an event for each, which can be among what is lost.
func newThreads(t *testing.T, pid string) (started func() int) {
	t.Helper()
	dir := filepath.Join(tracing, "instances", "started")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(dir) })
	tasks, err := os.ReadDir("/proc/" + pid + "/task")
	if err != nil {
		t.Fatal(err)
	}
	var tids []string
	for _, task := range tasks {
		tids = append(tids, task.Name())
	}
	for _, file := range [][2]string{{"options/event-fork", "1"}, {"set_event_pid", strings.Join(tids, " ")}, {"events/task/task_newtask/enable", "1"}} {
		if err := os.WriteFile(filepath.Join(dir, file[0]), []byte(file[1]+"\n"), 0); err != nil {
			t.Fatal(err)
		}
	}
	return func() int {
		text, err := os.ReadFile(filepath.Join(dir, "trace"))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte(" task_newtask: "))
	}
}

// check compares a tally to what was done. So many threads were started meanwhile.
func (c tally) check(t *testing.T, tr *traced, threads, calls, started int) {
	t.Helper()
	t.Logf("%d printed, %d lost, of them %d where it happened and %d times some; %d threads were started\n%s", c.printed, c.total, c.lost, c.unknown, started, tr.said())
	if all := int64(threads * calls); c.printed+c.total < all || c.printed+c.total > all+int64(started) {
		t.Errorf("%d printed and %d lost: %d, want %d, and up to %d threads; printed of each thread %v, from and to %v; %s\n%s", c.printed, c.total, c.printed+c.total, all, started, c.threads, c.ends, c.where, tr.said())
	}
	if c.lost > c.total {
		t.Errorf("%d lost in all, but %d where it happened", c.total, c.lost)
	}
	if len(c.disorder) > 0 {
		t.Errorf("out of order %d times: offset %s", len(c.disorder), c.disorder[0])
	}
	word := regexp.MustCompile(fmt.Sprintf("tsnoop: %d events? (was|were) lost in all: ", c.total))
	if got := word.MatchString(tr.said()); got != (c.total > 0) || c.total == 0 && tr.said() != "" {
		t.Errorf("%d lost, but stderr says:\n%s", c.total, tr.said())
	}
}
