//go:build vm

package suite

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestVMInterruptedAtEnd interrupts a trace that has ended by itself and is writing the rest of its
// output, which waits until it is read. One signal changes nothing: all is written, and
// the exit status is 0. Where nobody reads, another signal ends it.
func TestVMInterruptedAtEnd(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		tr, r := writingTheRest(t)
		tr.interrupt()
		tr.interrupt()                     // as timeout(1) does
		time.Sleep(100 * time.Millisecond) // for a signal that is not caught to kill it
		all, err := io.ReadAll(r)
		tr.ended()
		if last := all[1+strings.LastIndex(strings.TrimSuffix(string(all), "\n"), "\n"):]; err != nil || !strings.HasPrefix(string(last), origin) {
			t.Errorf("the output ends with %q: %v", last, err)
		}
		if tr.said() != "" {
			t.Error(tr.said())
		}
	})
	t.Run("insist", func(t *testing.T) {
		tr, _ := writingTheRest(t)
		tr.insist()
		if want := "tsnoop: ended by a second signal: the output is not complete\n"; tr.said() != want {
			t.Errorf("said %q, want %q", tr.said(), want)
		}
	})
}

// writingTheRest starts a trace that ends by itself while its output, a pipe, is full, and
// waits until it writes there when nothing is armed any more.
func writingTheRest(t *testing.T) (tr *traced, r *os.File) {
	t.Helper()
	l := prepare(t, "pid", "@", "open", "/")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	tr = beginTraceInto(t, w, "--json", "-p", l.pid, "generic_file_llseek(offset)")
	tr.awaitArmed()
	tr.await("the first line", func() bool {
		n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		return err == nil && n > 0
	})
	fill(t, w)
	w.Close()
	l.run()
	tr.await("that nothing is armed and it writes", func() bool {
		left, _ := filepath.Glob(filepath.Join(tracing, "instances/tsnoop*"))
		return len(left) == 0 && tr.writes(unix.Stdout)
	})
	time.Sleep(100 * time.Millisecond) // for the end of what removes the instance
	return tr, r
}

// fill writes to a pipe until it is full.
func fill(t *testing.T, w *os.File) {
	t.Helper()
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", w.Fd()), unix.O_WRONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	for err == nil {
		_, err = unix.Write(fd, []byte("\n"))
	}
	if !errors.Is(err, unix.EAGAIN) {
		t.Fatal(err)
	}
}

// writes reports whether a thread is in write(2) to a file descriptor.
func (tr *traced) writes(fd int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", tr.cmd.Process.Pid))
	for _, file := range threads {
		b, _ := os.ReadFile(file)
		if strings.HasPrefix(string(b), fmt.Sprintf("%d %#x ", unix.SYS_WRITE, fd)) {
			return true
		}
	}
	return false
}

// interrupt sends what Ctrl-C sends.
func (tr *traced) interrupt() {
	tr.t.Helper()
	if err := tr.cmd.Process.Signal(syscall.SIGINT); err != nil {
		tr.t.Fatal(err)
	}
}

// insist interrupts it until it ends, which it does with the status of a signal.
func (tr *traced) insist() {
	tr.t.Helper()
	deadline := time.After(patience)
	for over := false; !over; {
		tr.cmd.Process.Signal(syscall.SIGINT) // too soon at first
		select {
		case <-tr.done:
			over = true
		case <-deadline:
			tr.t.Fatalf("a second signal does not end it\n%s", tr.said())
		case <-time.After(pause):
		}
	}
	if status := tr.cmd.ProcessState.ExitCode(); status != 128+int(syscall.SIGINT) {
		tr.t.Errorf("status %d", status)
	}
}
