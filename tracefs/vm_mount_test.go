//go:build vm

package tracefs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// TestVMFind finds the tracing directory that debugfs brings along.
func TestVMFind(t *testing.T) {
	fsys := mounted(t)
	if fsys.Path() != DefaultMount {
		t.Errorf("Find: got %s", fsys.Path())
	}
	must(t, "umount", unix.Unmount(DefaultMount, unix.MNT_DETACH))
	defer unix.Mount("nodev", DefaultMount, "tracefs", 0, "")
	unix.Unmount("/sys/kernel/debug/tracing", unix.MNT_DETACH)
	unix.Unmount("/sys/kernel/debug", unix.MNT_DETACH)
	var me *HostError
	if _, err := Find(); !errors.As(err, &me) || me.Hint != HintMount {
		t.Errorf("Find without a mount: got %v", err)
	}
	must(t, "mount", unix.Mount("nodev", "/sys/kernel/debug", "debugfs", 0, ""))
	fsys, err := Find()
	if err != nil || !strings.HasPrefix(fsys.Path(), "/sys/kernel/debug") {
		t.Fatalf("Find in debugfs: got %v, %v", fsys, err)
	}
	s := session(t, fsys, Options{})
	define(t, s, "p", "e_x7q", nameArg)
	must(t, "Close", s.Close())
}

// TestVMForbidden has no right to trace.
func TestVMForbidden(t *testing.T) {
	mounted(t)
	cmd, _, line := child(t, "nobody", 0)
	cmd.Wait()
	if want := DefaultMount + " is not for user 65534 (run as root, or on recent kernels let root give it to you: mount -o remount,uid=65534,mode=0700 " + DefaultMount + ")"; line != want {
		t.Errorf("got %q, want %q", line, want)
	}
}

// TestVMFeatures checks that README's statements are true.
func TestVMFeatures(t *testing.T) {
	fsys := mounted(t)
	leavesNothing(t, fsys)
	f, err := fsys.Features()
	must(t, "Features", err)
	t.Logf("%+v", *f)
	if takes := fsys.TakesEprobes(); takes != f.Eprobe {
		t.Errorf("takesEprobes: got %v, README %v", takes, f.Eprobe)
	}
	s := session(t, fsys, Options{})
	for i, tt := range []struct {
		has  bool
		kind string
		args string
	}{
		{f.Immediate, "p", "a=\\1"},
		{f.Current, "p", "a=+16($current):u32"},
		{f.Current, "r", "a=$current"},
		{f.ArgN, "p", "a=$arg1"},
		{f.ReturnArgs, "r", "a=$arg1"},
		{f.Ustring, "p", "a=+0($arg1):ustring"},
		{f.Ustring, "p", "a=+u0($arg1)"},
		{f.Symbol, "p", "a=$arg1:symbol"},
		{f.Symstr, "p", "a=$arg1:symstr"},
	} {
		err := s.Define(KprobeEvents, fmt.Sprintf("%s:%s/f%d_x7q %s %s", tt.kind, s.Group(), i, place, tt.args))
		if (err == nil) != tt.has {
			t.Errorf("%s: got error %v, want accepted %v", tt.args, err, tt.has)
		}
	}
}
