//go:build vm

package render_test

import (
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
)

// TestVMObjectsByBTF shows objects of the running kernel as they lie in its memory, and
// reads them by its BTF in another way.
func TestVMObjectsByBTF(t *testing.T) {
	core, err := elf.Open("/proc/kcore")
	if err != nil {
		t.Fatal(err)
	}
	defer core.Close()
	symbols := symbols.Running()
	k := btf.Running()
	object := func(addr uint64, name string) *testObject {
		typ, err := k.Type(name)
		if err != nil {
			t.Fatal(err)
		}
		o := &testObject{t: t, typ: typ, opts: render.Options{Symbol: symbols.Name, IsCode: symbols.IsCode}}
		o.field = value.Field{Label: name, Type: typ, Encoding: value.Dumped}
		o.Whole, _ = btf.Size(typ)
		o.Bytes, o.Addr = make([]byte, o.Whole), addr
		for _, p := range core.Progs {
			if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
				if _, err := p.ReadAt(o.Bytes, int64(addr-p.Vaddr)); err != nil {
					t.Fatalf("%s at %#x: %v", name, addr, err)
				}
				return o
			}
		}
		t.Fatalf("%s at %#x is not in /proc/kcore", name, addr)
		return nil
	}
	follow := func(o *testObject, member string) uint64 {
		p, err := btf.Member(o.typ, member)
		if err != nil {
			t.Fatal(err)
		}
		return binary.LittleEndian.Uint64(o.Bytes[p.Offset:])
	}
	variable := func(symbol, typ string) *testObject {
		addr, ok := symbols.Addr(symbol)
		if !ok {
			t.Fatalf("no %s", symbol)
		}
		return object(addr, typ)
	}
	task, net := variable("init_task", "struct task_struct"), variable("init_net", "struct net")
	lo := object(follow(net, "loopback_dev"), "struct net_device")
	fs := object(follow(task, "fs"), "struct fs_struct")
	root, err := btf.Member(fs.typ, "root")
	if err != nil {
		t.Fatal(err)
	}
	mnt := object(binary.LittleEndian.Uint64(fs.Bytes[root.Offset:]), "struct vfsmount")
	super := object(follow(mnt, "mnt_sb"), "struct super_block")
	for _, tt := range []struct {
		o    *testObject
		want []string
	}{
		{task, []string{`.comm = "swapper`, ".ptraced = (empty)", "<init_"}},
		{net, []string{".loopback_dev = 0xff"}},
		{lo, []string{`.name = "lo"`, ".flags = IFF_UP|IFF_LOOPBACK", ".type = ARPHRD_LOOPBACK", "<init_net>", "<loopback_ops>", ".mtu = 65536"}},
		{fs, []string{".dentry = 0xff"}},
		{super, []string{".s_type = 0xff", ".s_blocksize = 4096", "_ops>|_operations>"}},
		{variable("init_uts_ns", "struct uts_namespace"), []string{`.sysname = "Linux"`}},
		{variable("init_cred", "struct cred"), []string{".user = 0xff", "<init_user_ns>"}},
	} {
		n := tt.o.check(tt.o.field.Label).leaves
		text := string(tt.o.text())
		t.Logf("%s: %d bytes, %d lines, %d values are the same", tt.o.field.Label, tt.o.Whole, strings.Count(text, "\n"), n)
		for _, want := range tt.want {
			one, other, _ := strings.Cut(want, "|")
			if !strings.Contains(text, one) && (other == "" || !strings.Contains(text, other)) {
				t.Errorf("%s lacks %s:\n%s", tt.o.field.Label, want, text)
			}
		}
	}
}
