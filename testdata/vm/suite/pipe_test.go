//go:build vm

package suite

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestVMReaderGone traces endless calls into a pipe whose reader goes away after one line, as "|
// head -n 1": tsnoop ends by itself, with success, says nothing and leaves nothing behind.
func TestVMReaderGone(t *testing.T) {
	for _, flags := range []string{"--reader=raw", "--json --reader=text --follow"} {
		t.Run(flags, func(t *testing.T) {
			l := prepare(t, "pid", "@", "burst", "0", "1000000x1-")
			args := append(strings.Fields(flags), "-p", l.pid, "generic_file_llseek(offset)")
			line := firstLine(t, exec.Command("tsnoop", args...), func() {
				if err := os.WriteFile(l.file+".go", nil, 0o644); err != nil {
					t.Fatal(err)
				}
			})
			if !strings.Contains(line, "generic_file_llseek") {
				t.Errorf("first line %q", line)
			}
			nothingLeft(t)
		})
	}
}

// TestVMSecondSignal shows calls to somebody who does not read. The first signal ends the trace,
// and what has been recorded waits to be read; the second one ends tsnoop.
func TestVMSecondSignal(t *testing.T) {
	l := prepare(t, "pid", "@", "burst", "0", "20000")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	tr := beginTraceInto(t, w, "generic_file_llseek(offset)")
	w.Close()
	tr.awaitArmed()
	l.run()
	tr.await("a line that nobody reads", func() bool { // of more than there is room for
		n, err := unix.IoctlGetInt(int(r.Fd()), unix.TIOCINQ)
		return err == nil && n > 0
	})
	tr.interrupt()
	tr.interrupt() // as timeout(1) does
	tr.await("the trace to end", func() bool { return tr.content("tracing_on") == "0\n" })
	tr.insist()
	if want := "tsnoop: ended by a second signal: events that were still in the buffers are not shown\n"; tr.said() != want {
		t.Errorf("said %q, want %q", tr.said(), want)
	}
	cleanly(t)
}

// firstLine starts a command, reads one line of its output as "| head -n 1" does,
// and goes away. The command must end by itself, well and without a word.
func firstLine(t *testing.T, cmd *exec.Cmd, started func()) string {
	t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	started()
	line, err := bufio.NewReaderSize(out, 16).ReadString('\n')
	if err != nil {
		t.Errorf("%s: %v", cmd, err)
	}
	out.Close()
	if err := cmd.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("%s: %v\n%s", cmd, err, said.Bytes())
	}
	return line
}

// nothingLeft checks that there is nothing of tsnoop's in tracefs.
func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(tracing, "instances/tsnoop*"))
	if err != nil || len(left) > 0 {
		t.Errorf("instances are left: %s %v", left, err)
	}
	probes, err := os.ReadFile(filepath.Join(tracing, "kprobe_events"))
	if err != nil || bytes.Contains(probes, []byte("tsnoop")) {
		t.Errorf("probes are left: %s %v", probes, err)
	}
}
