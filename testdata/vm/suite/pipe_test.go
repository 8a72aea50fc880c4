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
)

// TestOnceHead traces what goes on without end into a pipe whose reader goes away
// after one line, as "| head -n 1": tsnoop ends by itself, which is no failure,
// says nothing and leaves nothing behind.
func TestOnceHead(t *testing.T) {
	for _, flags := range []string{"--reader=raw", "--json --reader=text"} {
		t.Run(flags, func(t *testing.T) {
			l := prepare(t, "pid", "@", "burst", "0", "1000000x1")
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
