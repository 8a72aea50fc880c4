package proc_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/proc"
	"golang.org/x/sys/unix"
)

func TestLockHolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if h, ok := proc.LockHolder(name); ok {
		t.Errorf("not locked, but %v holds it", h)
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	locks, _ := os.ReadFile("/proc/locks")
	if len(locks) == 0 {
		t.Skip("no /proc/locks")
	}
	if h, ok := proc.LockHolder(name); !ok || h.PID != os.Getpid() || h.Comm == "" {
		t.Errorf("got %v, %v", h, ok)
	}
}
