package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"testing"
)

func TestThreads(t *testing.T) {
	tids, err := Threads(os.Getpid())
	if err != nil || !slices.Contains(tids, os.Getpid()) || !slices.IsSorted(tids) {
		t.Errorf("Threads: got %v, %v", tids, err)
	}
	if _, err := Threads(1 << 30); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Threads of nobody: got error %v", err)
	}
}

func TestChildren(t *testing.T) {
	cmd := exec.Command("cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pids, err := Children(os.Getpid())
	if err != nil || !slices.Contains(pids, cmd.Process.Pid) {
		t.Errorf("Children: got %v, %v, want %d among them", pids, err, cmd.Process.Pid)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
