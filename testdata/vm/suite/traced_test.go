//go:build vm

package suite

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A traced is a tsnoop that runs beside a test; out and err are files.
type traced struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err string
	done     chan error
}

// startTrace starts tsnoop and waits until it is armed.
func startTrace(t *testing.T, args ...string) *traced {
	t.Helper()
	tr := beginTrace(t, args...)
	tr.awaitArmed()
	return tr
}

// beginTrace is startTrace without waiting.
func beginTrace(t *testing.T, args ...string) *traced {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	return beginTraceInto(t, out, args...)
}

// beginTraceInto is beginTrace with an output that the test has opened.
func beginTraceInto(t *testing.T, out *os.File, args ...string) *traced {
	t.Helper()
	tr := &traced{t, exec.Command("tsnoop", args...), out.Name(), filepath.Join(t.TempDir(), "err"), make(chan error, 1)}
	errs, err := os.Create(tr.err)
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	tr.cmd.Stdout, tr.cmd.Stderr = out, errs
	if err := tr.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { tr.done <- tr.cmd.Wait() }()
	t.Cleanup(func() { tr.cmd.Process.Kill() })
	return tr
}

func (tr *traced) awaitArmed() {
	tr.t.Helper()
	tr.await("that it is armed", func() bool { return isArmed(tr.cmd.Process.Pid) })
}

// isArmed reports whether the tsnoop with this PID records: it enables its probes while
// tracing is off.
func isArmed(pid int) bool {
	group := fmt.Sprintf("tsnoop_%d", pid)
	instance := filepath.Join(tracing, "instances", group)
	isOn := func() bool {
		on, err := os.ReadFile(filepath.Join(instance, "tracing_on"))
		return err == nil && on[0] == '1'
	}
	if !isOn() { // which is read in no time; the kernel looks at each of its events for set_event
		return false
	}
	enabled, err := os.ReadFile(filepath.Join(instance, "events", group, "enable"))
	if os.IsNotExist(err) { // only the kernel's own events are traced, or nothing yet
		enabled, err = os.ReadFile(filepath.Join(instance, "set_event"))
		// tsnoop enables those of tasks for itself, before it switches tracing off.
		isAsked := func(event string) bool { return !strings.HasPrefix(event, "task:") }
		return err == nil && slices.ContainsFunc(strings.Fields(string(enabled)), isAsked) && isOn()
	}
	return err == nil && enabled[0] == '1' && isOn()
}

// buffer is the size of its buffer, in KiB per CPU.
func (tr *traced) buffer() int {
	tr.t.Helper()
	b, err := os.ReadFile(filepath.Join(tracing, "instances", fmt.Sprintf("tsnoop_%d", tr.cmd.Process.Pid), "buffer_size_kb"))
	if err != nil {
		tr.t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		tr.t.Fatal(err)
	}
	return n
}

// await waits for something to be so while tsnoop runs.
func (tr *traced) await(what string, so func() bool) {
	tr.t.Helper()
	for deadline := time.Now().Add(patience); !so(); time.Sleep(pause) {
		select {
		case err := <-tr.done:
			tr.t.Fatalf("waiting for %s: tsnoop has ended: %v\n%s", what, err, tr.said())
		default:
		}
		if time.Now().After(deadline) {
			tr.t.Fatalf("waited too long for %s\n%s", what, tr.said())
		}
	}
}

// stutter stops tsnoop again and again for some time, each time until a small buffer
// has overflown, however slow the calls are. It goes on for good when resume is called.
// First it may get from what has it armed to where it reads.
func (tr *traced) stutter(stop, run time.Duration) (resume func()) {
	time.Sleep(stop)
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			tr.cmd.Process.Signal(syscall.SIGSTOP)
			before := tr.overrun()
			for start := time.Now(); time.Since(start) < stop || tr.overrun() == before; {
				select {
				case <-over:
					tr.cmd.Process.Signal(syscall.SIGCONT)
					return
				case <-time.After(pause):
				}
			}
			tr.cmd.Process.Signal(syscall.SIGCONT)
			time.Sleep(run)
		}
	})
	return func() {
		close(over)
		done.Wait()
	}
}

// overrun is how many events its buffers had no room for.
func (tr *traced) overrun() (n uint64) {
	group := fmt.Sprintf("tsnoop_%d", tr.cmd.Process.Pid)
	files, _ := filepath.Glob(filepath.Join(tracing, "instances", group, "per_cpu/cpu*/stats"))
	for _, file := range files {
		if f, err := os.Open(file); err == nil {
			st, _ := tracefs.ParseCPUStats(f)
			f.Close()
			n += st.Overrun
		}
	}
	return n
}

// stop stops tsnoop, until SIGCONT. The signal is sent before it is carried out: what
// happens after stop no thread has seen.
func (tr *traced) stop() {
	tr.t.Helper()
	if err := tr.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		tr.t.Fatal(err)
	}
	tr.await("tsnoop to stop", func() bool { return stopped(tr.cmd.Process.Pid) })
}

// stopped reports whether all threads of a process are.
func stopped(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, file := range threads {
		b, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(b, []byte(") T ")) {
			return false
		}
	}
	return len(threads) > 0
}

// end ends tsnoop as Ctrl-C does.
func (tr *traced) end() {
	tr.t.Helper()
	// It may have ended with the processes that it traces.
	if err := tr.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tr.t.Fatalf("%v\n%s", err, tr.said())
	}
	tr.ended()
}

// ended waits for its end.
func (tr *traced) ended() {
	tr.t.Helper()
	select {
	case err := <-tr.done:
		if err != nil {
			tr.t.Fatalf("tsnoop: %v\n%s", err, tr.said())
		}
	case <-time.After(patience):
		tr.t.Fatalf("tsnoop does not end\n%s", tr.said())
	}
}

// slowly is what tsnoop writes where it takes long to arm many functions.
var slowly = regexp.MustCompile(`(?m)^tsnoop: (enabling|removing) \d+ (functions|probes)\.\.\.\n`)

// said is what tsnoop has written to stderr, except messages that come on a slow machine
// only.
func (tr *traced) said() string {
	b, err := os.ReadFile(tr.err)
	if err != nil {
		tr.t.Fatal(err)
	}
	return slowly.ReplaceAllString(string(b), "")
}

// origin begins the lines of JSON that say where and when a trace was made. It begins and
// ends with them.
const origin = `{"origin":`

// lines calls f with each line of the output.
func (tr *traced) lines(f func(line []byte)) {
	tr.t.Helper()
	file, err := os.Open(tr.out)
	if err != nil {
		tr.t.Fatal(err)
	}
	defer file.Close()
	s := bufio.NewScanner(file)
	for s.Scan() {
		if !bytes.HasPrefix(s.Bytes(), []byte(origin)) {
			f(s.Bytes())
		}
	}
	if err := s.Err(); err != nil {
		tr.t.Fatal(err)
	}
}

// complete checks that the calls of a burst have been printed, n from offset 0 on,
// each in its turn, and that nothing was said.
func (tr *traced) complete(n int64) {
	tr.t.Helper()
	var next int64
	tr.lines(func(line []byte) {
		if got := number(line, ", offset="); got != next {
			tr.t.Fatalf("offset %d comes instead of %d: %s\n%s", got, next, line, tr.said())
		}
		next++
	})
	if next != n || tr.said() != "" {
		tr.t.Errorf("%d lines, want %d\n%s", next, n, tr.said())
	}
}
