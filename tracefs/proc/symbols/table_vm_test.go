//go:build vm

package symbols

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// TestVMTable reads the symbols and ranges of the kernel it runs on.
func TestVMTable(t *testing.T) {
	if err := exec.Command("insmod", "/lib/modules/tsnoop/dummy.ko").Run(); err != nil {
		t.Fatalf("insmod: %v", err)
	}
	defer exec.Command("rmmod", "dummy").Run()
	s := Running()
	s.Unreadable = func(err error) { t.Error(err) }
	facts, stext, err := s.Facts([]string{"vfs_read", "init_once", "dummy_xmit"}, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d symbols, %d modules, _stext %#x, %+v", len(s.list().syms), len(s.list().modules), stext, facts)
	ranges, err := proc.LoadRanges()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%x", ranges)
	for _, name := range []string{"vfs_read", "jiffies", "dummy_xmit", "_stext"} {
		addr, ok := s.Addr(name)
		if !ok || !ranges.Contains(addr) {
			t.Errorf("%s is at %#x, in a range: %v", name, addr, ranges.Contains(addr))
		}
		if got, _, off, ok := s.Name(addr); !ok || off != 0 {
			t.Errorf("at %#x there is %s+%d, not %s", addr, got, off, name)
		}
	}
	if f := facts["vfs_read"]; f.Count != 1 || len(f.Addrs) != 1 {
		t.Errorf("got %+v for vfs_read", f)
	}
	if f := facts["init_once"]; f.Count < 2 || len(f.Addrs) != f.Count {
		t.Errorf("got %+v for init_once", f)
	}
	if f := facts["dummy_xmit"]; len(f.Modules) != 1 || f.Modules[0] != "dummy" {
		t.Errorf("got %+v for dummy_xmit", f)
	}
	used := s.Used()
	for _, c := range []struct {
		name  string
		other bool
	}{{"vfs_read", false}, {"dummy_xmit", true}} {
		addr, _ := s.Addr(c.name)
		used.Scan(binary.NativeEndian.AppendUint64(nil, addr+4), false)
		named := bytes.Contains(used.Text(), []byte(" "+c.name+"\n"))
		if named == c.other || used.Other() != c.other {
			t.Errorf("%s at %#x: named %t, other %t", c.name, addr, named, used.Other())
		}
	}
	if others, err := s.Others(); err != nil || !bytes.Contains(others, []byte("dummy_xmit\t[dummy]\n")) || bytes.Contains(others, []byte(" vfs_read\n")) {
		t.Errorf("%d bytes of others, %v", len(others), err)
	}
	recorded := Recorded(func() ([]byte, error) { return []byte("ffffffff81001000 T ip_rcv\n"), nil })
	if others, err := recorded.Others(); err != nil || len(others) != 26 {
		t.Errorf("%d bytes of others that were recorded, %v", len(others), err)
	}
	for _, wild := range []uint64{0, 8, 0x1000, 0x7fffffffffff, 0xdead000000000100, 0x6b6b6b6b6b6b6b6b, ^uint64(0) - 21} {
		if ranges.Contains(wild) {
			t.Errorf("%#x is in a range", wild)
		}
	}
	if err := os.WriteFile("/proc/sys/kernel/kptr_restrict", []byte("2"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile("/proc/sys/kernel/kptr_restrict", []byte("0"), 0)
	var unreadable error
	hidden := Running()
	hidden.Unreadable = func(err error) { unreadable = err }
	if name, _, _, ok := hidden.Name(stext); ok || unreadable != ErrHidden {
		t.Errorf("with kptr_restrict: got %q, error %v, want ErrHidden", name, unreadable)
	}
}
