//go:build vm

package suite

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A peer is an instance of the tracing directory that is not tsnoop's, with one
// probe that fetches what tsnoop does for generic_file_llseek(file, offset, whence).
type peer struct {
	t   *testing.T
	dir string
}

// newPeer makes an instance that traces one process.
func newPeer(t *testing.T, pid string, bufferKB int) *peer {
	t.Helper()
	caller := map[string]string{"amd64": "+0($stack)", "arm64": "%x30"}[runtime.GOARCH]
	return newPeerOf(t, pid, bufferKB,
		"p:peer/seek generic_file_llseek file=$arg1 offset=$arg2:s64 whence=$arg3:s32 caller="+caller+" comm=$comm")
}

// newPeerOf is newPeer with probes of its own, in the group peer.
func newPeerOf(t *testing.T, pid string, bufferKB int, lines ...string) *peer {
	t.Helper()
	p := newInstance(t)
	for _, line := range lines {
		p.define(line)
	}
	t.Cleanup(func() {
		p.write("events/peer/enable", "0")
		for _, line := range lines {
			_, event, _ := strings.Cut(strings.Fields(line)[0], ":")
			p.define("-:" + event)
		}
	})
	p.watch(pid, bufferKB, "peer")
	return p
}

// newInstance makes an instance that traces nothing yet.
func newInstance(t *testing.T) *peer {
	t.Helper()
	p := &peer{t, filepath.Join(tracing, "instances/peer")}
	if err := os.Mkdir(p.dir, 0o750); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Remove(p.dir); err != nil {
			t.Error(err)
		}
	})
	return p
}

// watch enables an event, or all of a group, for one process. It names all threads, for the
// one that makes the calls need not be the first.
func (p *peer) watch(pid string, bufferKB int, event string) {
	p.t.Helper()
	p.write("buffer_size_kb", strconv.Itoa(bufferKB))
	tasks, err := filepath.Glob(filepath.Join("/proc", pid, "task/*"))
	if err != nil || len(tasks) == 0 {
		p.t.Fatalf("threads of %s: %q, %v", pid, tasks, err)
	}
	for i, task := range tasks {
		tasks[i] = filepath.Base(task)
	}
	p.write("set_event_pid", strings.Join(tasks, " "))
	p.write("events/"+event+"/enable", "1")
}

func (p *peer) define(line string) {
	p.t.Helper()
	f, err := os.OpenFile(filepath.Join(tracing, "kprobe_events"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line + "\n"); err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
}

func (p *peer) write(file, text string) {
	p.t.Helper()
	mustWrite(p.t, filepath.Join(p.dir, file), text)
}

// cat starts to read the text. It ends when it is killed.
func (p *peer) cat() *exec.Cmd {
	p.t.Helper()
	cmd := exec.Command("load", "cat", filepath.Join(p.dir, "trace_pipe"))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { cmd.Process.Kill() })
	return cmd
}

// stats sums up the figures of all CPUs.
func (p *peer) stats() (sum tracefs.CPUStats) {
	p.t.Helper()
	files, err := filepath.Glob(filepath.Join(p.dir, "per_cpu/cpu*/stats"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			p.t.Fatal(err)
		}
		st, err := tracefs.ParseCPUStats(f)
		f.Close()
		if err != nil {
			p.t.Fatal(err)
		}
		sum.Read += st.Read
		sum.Overrun += st.Overrun
		sum.Entries += st.Entries
	}
	return sum
}
