package tracee

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// touching is a program that makes a file, and a function that reports whether it has.
func touching(t *testing.T) (cmd *exec.Cmd, made func() bool) {
	name := filepath.Join(t.TempDir(), "made")
	return exec.Command("touch", name), func() bool {
		_, err := os.Stat(name)
		return err == nil
	}
}

// A program that is held has done nothing; once it may run it does all.
func TestProgram(t *testing.T) {
	cmd, made := touching(t)
	p, err := Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Held() || made() {
		t.Errorf("held %v, the file is made: %v", p.Held(), made())
	}
	over, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-over.Done()
	<-p.Done()
	if p.Held() || !made() || p.Status() != 0 {
		t.Errorf("held %v, the file is made: %v, it ended with %d", p.Held(), made(), p.Status())
	}
}

// One that is killed while it is held never runs.
func TestProgramKilled(t *testing.T) {
	cmd, made := touching(t)
	p, err := Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if err := unix.Kill(p.PID(), 0); !errors.Is(err, unix.ESRCH) || made() {
		t.Errorf("signalling it: %v; the file is made: %v", err, made())
	}
}

// Nor does one that is asked for too late.
func TestProgramTooLate(t *testing.T) {
	cmd, made := touching(t)
	p, err := Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Run(over); err != nil || !p.Held() || made() {
		t.Errorf("%v; held %v, the file is made: %v", err, p.Held(), made())
	}
}

// Its status is what a shell would say.
func TestProgramStatus(t *testing.T) {
	for script, want := range map[string]int{"exit 7": 7, "kill -TERM $$": 128 + 15} {
		p, err := Hold(exec.Command("/bin/sh", "-c", script))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if <-p.Done(); p.Status() != want {
			t.Errorf("%s: %d, want %d", script, p.Status(), want)
		}
	}
}

// TestProgramRestart: a program that begins again with execve has the same arguments and
// environment, also if it is a script.
func TestProgramRestart(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte("#!/bin/sh -e\nprintf '%s|' \"$0\" \"$@\" \"$V\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"printf", "%s|", "a b", "", "c"},
		{script, "a b", "", "c"},
		{"sh", "-c", "printf '%s|' \"$V\" \"$@\"", "", "a b", strings.Repeat("x", 30_000), "", "c"},
		{"sh", "-c", "printf '%s|' $#", "", strings.Repeat("x", 100_000)}, // more than is written
	} {
		want, got := new(strings.Builder), new(strings.Builder)
		plain, again := exec.Command(args[0], args[1:]...), exec.Command(args[0], args[1:]...)
		plain.Stdout, again.Stdout = want, got
		plain.Env = append(os.Environ(), "V=the value")
		again.Env = plain.Env
		if err := plain.Run(); err != nil {
			t.Fatal(err)
		}
		p, err := Hold(again)
		if err != nil {
			t.Fatal(err)
		}
		p.Restart()
		if _, err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if <-p.Done(); p.Status() != 0 || got.String() != want.String() {
			t.Errorf("%.60q: status %d, wrote %.60q, want %.60q", args, p.Status(), got, want)
		}
	}
}

// A program that has vanished meanwhile goes on as it is.
func TestProgramRestartGone(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script")
	text, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(script, text, 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := Hold(exec.Command(script))
	if err != nil {
		t.Fatal(err)
	}
	p.Restart()
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if <-p.Done(); p.Status() != 0 {
		t.Errorf("status %d", p.Status())
	}
}

func TestProgramMissing(t *testing.T) {
	if _, err := Hold(exec.Command("/no/such/program")); !errors.Is(err, unix.ENOENT) {
		t.Error(err)
	}
}

// HoldNext holds the program that the command executes, whatever signals the command gets,
// and reports a command that executes none.
func TestProgramNext(t *testing.T) {
	touch, made := touching(t)
	script := `kill -USR1 $$; : first; exec "$0" "$@"`
	p, err := HoldNext(exec.Command("/bin/sh", append([]string{"-c", "trap : USR1; " + script}, touch.Args...)...))
	if err != nil {
		t.Fatal(err)
	}
	if name, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID())); err != nil || filepath.Base(name) == "sh" || made() {
		t.Errorf("%s is held, %v; the file is made: %v", name, err, made())
	}
	if _, err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if <-p.Done(); !made() || p.Status() != 0 {
		t.Errorf("the file is made: %v, status %d", made(), p.Status())
	}
	for script, want := range map[string]int{"exit 3": 3, "kill -KILL $$": 128 + 9} {
		var ended *EndedError
		if _, err := HoldNext(exec.Command("/bin/sh", "-c", script)); !errors.As(err, &ended) || ended.Status != want {
			t.Errorf("%s: %v, want status %d", script, err, want)
		}
	}
}

// HoldWaiting lets the program run when it is time, and not at all if it is killed.
func TestProgramWaiting(t *testing.T) {
	for _, run := range []bool{true, false} {
		touch, made := touching(t)
		p, err := HoldWaiting(exec.Command("/bin/sh", append([]string{"-c", `[ "$(head -c 1 <&3 | wc -c)" = 1 ] && exec "$0" "$@"`}, touch.Args...)...))
		if err != nil {
			t.Fatal(err)
		}
		if !p.Held() || made() {
			t.Errorf("held %v, the file is made: %v", p.Held(), made())
		}
		if run {
			_, err = p.Run(t.Context())
			<-p.Done()
		} else {
			p.Kill()
		}
		if err != nil || p.Held() || made() != run {
			t.Errorf("run %v: %v, held %v, the file is made: %v", run, err, p.Held(), made())
		}
	}
}
