package trace

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// touching is a program that makes a file, and what tells whether it has.
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
	if err := p.Run(); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if p.Held() || !made() || !p.State().Success() {
		t.Errorf("held %v, the file is made: %v, it ended with %v", p.Held(), made(), p.State())
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

func TestProgramMissing(t *testing.T) {
	if _, err := Hold(exec.Command("/no/such/program")); !errors.Is(err, unix.ENOENT) {
		t.Error(err)
	}
}
