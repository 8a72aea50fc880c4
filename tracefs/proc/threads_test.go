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
	children, err := Children()
	if pids := children[os.Getpid()]; err != nil || !slices.Contains(pids, cmd.Process.Pid) || !slices.IsSorted(pids) {
		t.Errorf("Children: got %v, %v, want %d among them", pids, err, cmd.Process.Pid)
	}
	if Childless(os.Getpid()) {
		t.Error("Childless: got true of this process")
	}
	if !Childless(cmd.Process.Pid) {
		t.Error("Childless: got false of cat")
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if Childless(cmd.Process.Pid) {
		t.Error("Childless: got true of nobody")
	}
}

func TestParentIn(t *testing.T) {
	for _, tt := range []struct {
		stat string
		want int // 0: an error
	}{
		{"17 (cat) S 16 17 16 0 -1", 16},
		{"17 (a) R 99 (b\n) S 4194303 17 16", 4194303},
		{"17 () S", 0},
		{"17 (cat) S x 17", 0},
		{"17 (cat", 0},
		{"", 0},
	} {
		got, err := parentIn(tt.stat)
		if got != tt.want || (err == nil) != (tt.want != 0) {
			t.Errorf("parentIn(%q): got %d, %v, want %d", tt.stat, got, err, tt.want)
		}
	}
}
