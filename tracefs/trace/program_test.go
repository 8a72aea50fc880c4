package trace

import (
	"bytes"
	"errors"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// A program that is held has written nothing; once it may run it does all.
func TestProgram(t *testing.T) {
	cmd := exec.Command("echo", "hello")
	var out bytes.Buffer
	cmd.Stdout = &out
	p, err := Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Held() || out.Len() > 0 {
		t.Errorf("held %v, it wrote %q", p.Held(), out.Bytes())
	}
	if err := p.Run(); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if p.Held() || out.String() != "hello\n" || !p.State().Success() {
		t.Errorf("held %v, it wrote %q and ended with %v", p.Held(), out.Bytes(), p.State())
	}
}

// One that is killed while it is held never runs.
func TestProgramKilled(t *testing.T) {
	cmd := exec.Command("echo", "hello")
	var out bytes.Buffer
	cmd.Stdout = &out
	p, err := Hold(cmd)
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if err := unix.Kill(p.PID(), 0); !errors.Is(err, unix.ESRCH) || out.Len() > 0 {
		t.Errorf("signalling it: %v; it wrote %q", err, out.Bytes())
	}
}

func TestProgramMissing(t *testing.T) {
	if _, err := Hold(exec.Command("/no/such/program")); !errors.Is(err, unix.ENOENT) {
		t.Error(err)
	}
}
