//go:build vm

package suite

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"golang.org/x/sys/unix"
)

// TestVMSkipped reads a buffer without any pause while it is being written. The
// kernel's reader then passes over what is written while its CPU is stopped, and has it
// in no count of lost events. Nevertheless all events were read or lost.
func TestVMSkipped(t *testing.T) {
	const tries = 3
	calls, skipped := flood(40_000), uint64(0)
	for range tries {
		l := prepare(t, "name", "skipped", "pid", "@", "on", "0", "burst", "0", strconv.Itoa(calls))
		session := skippedSession(t)
		over, read := make(chan struct{}), make(chan int)
		go func() { read <- readWithoutPause(t, session, over) }()
		l.run()
		close(over)
		n := <-read
		stats, err := session.FinalStats()
		if err != nil {
			t.Fatal(err)
		}
		lost := uint64(0)
		for _, st := range stats {
			lost += st.Lost()
			skipped += st.Skipped
		}
		if n+int(lost) != calls {
			t.Errorf("%d read and %d lost: %d, want %d; %+v", n, lost, n+int(lost), calls, stats)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d of %d events were skipped", skipped, tries*calls)
}

// skippedSession records the calls of a task named skipped.
func skippedSession(t *testing.T) *tracefs.Session {
	t.Helper()
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	session, err := fs.NewSession(tracefs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		session.Define(dynevent.Kprobe.File(), "p:"+session.Group()+"/seek generic_file_llseek offset=$arg2:s64 comm=$comm"),
		session.SetFilter("seek", `comm == "skipped"`),
		session.Enable(t.Context()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return session
}

// readWithoutPause counts the events of CPU 0 until it is over and there are no more.
func readWithoutPause(t *testing.T, session *tracefs.Session, over <-chan struct{}) (n int) {
	runtime.LockOSThread() // and to CPU 1; the thread ends with the goroutine
	var one unix.CPUSet
	one.Set(1)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		t.Error(err)
	}
	layout, size, err := session.PageLayout()
	if err != nil {
		t.Error(err)
	}
	fd, err := unix.Open(filepath.Join(tracing, "instances", session.Group(), "per_cpu/cpu0/trace_pipe_raw"), unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Error(err)
	}
	defer unix.Close(fd)
	b := make([]byte, size)
	for last := false; ; {
		got, err := unix.Read(fd, b)
		if err == nil && got > 0 {
			n += countRecords(t, layout, b[:got])
			continue
		}
		if last {
			return n
		}
		select {
		case <-over:
			last = true // once more
		default:
		}
	}
}

func countRecords(t *testing.T, layout ringbuf.Layout, b []byte) (n int) {
	var page ringbuf.Page
	if err := page.Reset(layout, b); err != nil {
		t.Error(err)
	}
	for page.Next() {
		n++
	}
	if err := page.Err(); err != nil {
		t.Error(fmt.Errorf("page: %w", err))
	}
	return n
}
