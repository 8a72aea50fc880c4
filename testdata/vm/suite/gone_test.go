//go:build vm

package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestVMGone closes the other side of the output while nothing happens that could be
// shown: each trace ends by itself, with status 0, and leaves nothing behind.
func TestVMGone(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	outputs := []struct {
		name string
		open func() (r, w *os.File, err error)
		args string
	}{
		{"pipe, text reader, only sums", os.Pipe, "--reader=text --summary=only"},
		{"fifo", func() (r, w *os.File, err error) {
			r, err = os.OpenFile(fifo, os.O_RDONLY|unix.O_NONBLOCK, 0)
			return r, os.Stderr, err
		}, "--json --output " + fifo},
		{"socket", func() (r, w *os.File, err error) {
			fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			return os.NewFile(uintptr(fds[0]), "r"), os.NewFile(uintptr(fds[1]), "w"), err
		}, ""},
		{"terminal", openTerminal, ""},
	}
	var traces []*traced
	var readers []*os.File
	for _, o := range outputs {
		r, w, err := o.open()
		if err != nil {
			t.Fatal(err)
		}
		tr := beginTraceInto(t, w, append(strings.Fields(o.args), "generic_file_llseek(offset == 0x123456789abc)")...)
		// Before the next one: a trace that has to wait for another's probes says so.
		tr.awaitArmed()
		traces, readers = append(traces, tr), append(readers, r)
		if w != os.Stderr {
			w.Close()
		}
	}
	for _, r := range readers {
		r.Close()
	}
	for i, tr := range traces {
		tr.ended()
		if tr.said() != "" {
			t.Errorf("%s: said %q", outputs[i].name, tr.said())
		}
	}
	nothingLeft(t)
}
