//go:build vm

package suite

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	pty "github.com/tsnoop/tsnoop/testdata/terminal"
)

// bothShells are busybox's and Debian's.
var bothShells = []string{"/bin/sh", "dash"}

// An emittedWay is how a trace by the lines of --emit=shell ends.
type emittedWay struct {
	shells   []string
	name     string
	run      string                                 // a command of sh; $SHELL is the shell to test, $LIMIT a number of seconds
	terminal bool                                   // on a terminal, as the leader of its session
	paste    bool                                   // the lines into it
	end      func(master *os.File, shell int) error // nil if it ends by $LIMIT
}

var emittedWays = []emittedWay{
	{bothShells, "timeout", "exec timeout $LIMIT $SHELL script", false, false, nil},
	{bothShells, "kill", "exec $SHELL script", false, false, func(_ *os.File, shell int) error { return syscall.Kill(shell, syscall.SIGTERM) }},
	{bothShells, "lost terminal", "exec $SHELL script", true, false, loseTerminal},
	{bothShells, "Ctrl-C where it was pasted", "exec $SHELL -i", true, true, func(master *os.File, _ int) error {
		_, err := master.WriteString("\x03")
		return err
	}},
	{[]string{"dash"}, "lost terminal where it was pasted", "exec $SHELL -i", true, true, loseTerminal},
}

func loseTerminal(master *os.File, _ int) error { return master.Close() }

// TestVMEmittedShell: however a trace by the lines of --emit=shell ends, they undo what
// they did, and no program of theirs stays.
func TestVMEmittedShell(t *testing.T) {
	dir := t.TempDir()
	script, err := exec.Command("tsnoop", "--emit=shell", "--cpu", "0", "-p", "1", "generic_file_llseek(offset, return) if offset > 5").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "script"), script, 0o600); err != nil {
		t.Fatal(err)
	}
	before := emittedState(t)
	for _, way := range emittedWays {
		for _, shell := range way.shells {
			if _, err := exec.LookPath(shell); err != nil {
				t.Logf("%s is not here", shell)
				continue
			}
			// On a busy host the limit may be over before they have armed.
			for limit := 1; !way.try(t, dir, shell, script, limit, before); limit *= 2 {
			}
		}
	}
}

// TestVMEmittedEarly: lines that are ended just when they have armed, while they start to
// read, undo what they did.
func TestVMEmittedEarly(t *testing.T) {
	script, err := exec.Command("tsnoop", "--emit=shell", "generic_file_llseek(offset)").Output()
	if err != nil {
		t.Fatal(err)
	}
	before := emittedState(t)
	for n := range 10 {
		cmd := exec.Command(bothShells[n%2])
		cmd.Stdin = bytes.NewReader(script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for b := []byte{}; !bytes.HasPrefix(b, []byte("1")); time.Sleep(time.Duration(n) * 100 * time.Microsecond) {
			b, _ = os.ReadFile(filepath.Join(tracing, "events/tsnoop/generic_file_llseek/enable"))
		}
		cmd.Process.Signal(syscall.SIGTERM)
		over := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		cmd.Wait()
		if now := emittedState(t); !over.Stop() || now != before {
			t.Fatalf("run %d, of %s, has left\n%s", n, cmd.Path, now)
		}
	}
}

// try runs the lines, ends them and waits until everything is as before. It reports whether
// they had armed when the limit was over.
func (way *emittedWay) try(t *testing.T, dir, shell string, script []byte, limit int, before string) (armed bool) {
	t.Helper()
	what := shell + ", " + way.name + ": "
	cmd := exec.Command("/bin/sh", "-c", way.run)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "SHELL="+shell, fmt.Sprintf("LIMIT=%d", limit))
	master := beginOn(t, cmd, way.terminal)
	var over atomic.Bool
	go func() {
		cmd.Wait()
		over.Store(true)
	}()
	if way.paste {
		master.Write(script)
	}
	until(t, what+"armed", func() bool {
		ended := over.Load()
		b, _ := os.ReadFile(filepath.Join(tracing, "events/tsnoop/generic_file_llseek/enable"))
		armed = strings.HasPrefix(string(b), "1") && strings.Contains(emittedState(t), "cat trace_pipe")
		return armed || ended && way.end == nil
	})
	if way.end != nil {
		if err := way.end(master, cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
	}
	until(t, what+"as before", func() bool { return emittedState(t) == before })
	master.Close()
	until(t, what+"over", over.Load)
	return armed
}

// beginOn starts a program, perhaps on a terminal of its own.
func beginOn(t *testing.T, cmd *exec.Cmd, terminal bool) (master *os.File) {
	t.Helper()
	master, slave, err := pty.Open(80)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	go io.Copy(io.Discard, master)
	if terminal {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return master
}

// until waits for what must become true.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience / 6); !is(); time.Sleep(3 * pause) { // to look is much work
		if time.Now().After(deadline) {
			t.Fatalf("not %s:\n%s", what, emittedState(t))
		}
	}
}

// emittedState returns what the lines may change: files of tracefs, and readers.
func emittedState(t *testing.T) string {
	var all strings.Builder
	for _, name := range []string{"kprobe_events", "set_event_pid", "options/event-fork", "tracing_cpumask"} {
		b, err := os.ReadFile(filepath.Join(tracing, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range lines {
		if b, _ := os.ReadFile(name); strings.HasPrefix(string(b), "cat\x00trace_pipe") {
			all.WriteString("cat trace_pipe\n")
		}
	}
	return all.String()
}
