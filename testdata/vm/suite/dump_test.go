//go:build vm

package suite

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// A memory reads the kernel's own, from /proc/kcore.
type memory struct {
	t       *testing.T
	core    *elf.File
	symbols *proc.Symbols
}

func openMemory(t *testing.T) *memory {
	t.Helper()
	f, err := os.Open("/proc/kcore")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	core, err := elf.NewFile(f)
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := proc.LoadSymbols()
	if err != nil {
		t.Fatal(err)
	}
	return &memory{t, core, symbols}
}

func (m *memory) at(addr uint64, n int) []byte {
	m.t.Helper()
	for _, p := range m.core.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Memsz {
			b := make([]byte, n)
			if _, err := p.ReadAt(b, int64(addr-p.Vaddr)); err == nil {
				return b
			}
		}
	}
	m.t.Fatalf("/proc/kcore has not %d bytes at %#x", n, addr)
	return nil
}

func (m *memory) word(addr uint64) uint64 { return binary.LittleEndian.Uint64(m.at(addr, 8)) }

func (m *memory) symbol(name string) uint64 {
	m.t.Helper()
	addr, ok := m.symbols.Addr(name)
	if !ok {
		m.t.Fatalf("no symbol %s", name)
	}
	return addr
}

// offsetOf is where a member of a struct is in it.
func offsetOf(t *testing.T, typ, name string) uint64 {
	t.Helper()
	s, err := btf.Running().Type(typ)
	if err != nil {
		t.Fatal(err)
	}
	m, err := btf.Member(s, name)
	if err != nil {
		t.Fatal(err)
	}
	return uint64(m.Offset)
}

// TestVMDump compares what is shown of objects with /proc/kcore, of one event and of
// several: one that is quiet, the kernel's own text, and what lies in front of the
// page behind a stack, which is never there. What is not there must be said to be
// absent, to the element, and all else must be right.
func TestVMDump(t *testing.T) {
	m := openMemory(t)
	task := m.word(m.symbol("init_task")+offsetOf(t, "struct task_struct", "tasks")) - offsetOf(t, "struct task_struct", "tasks")
	gap := m.word(task+offsetOf(t, "struct task_struct", "stack")) + 4*4096 // behind the stack of process 1
	lo := m.word(m.symbol("init_net") + offsetOf(t, "struct net", "loopback_dev"))
	text := m.symbol("_stext")
	for _, typ := range []string{"struct net_device", "struct task_struct"} {
		s, err := btf.Running().Type(typ)
		if err != nil {
			t.Fatal(err)
		}
		size, _ := btf.Size(s)
		addrs := []uint64{lo, text, text + 1, gap - 1000, gap - 1004, gap - 8, gap, 0, text + 4096}
		if size > 4096 {
			addrs = append(addrs[1:], gap-6000)
		}
		for i, got := range dumps(t, fmt.Sprintf("generic_file_llseek(*(%s *)offset, offset:x) if whence == 0", typ), addrs) {
			addr := addrs[i]
			present := size
			if addr < gap && addr+uint64(size) > gap {
				present = int(gap-addr) &^ 7
			}
			switch {
			case addr == 0 || addr == gap:
				if got.Kind != value.Fault || got.Uint != addr || addr == gap && got.Why != value.NotInMemory {
					t.Errorf("%s at %#x: %+v", typ, addr, got)
				}
				continue
			case got.Kind != value.Dump:
				t.Errorf("%s at %#x: %+v", typ, addr, got)
				continue
			}
			o := got.Object
			var absent []value.Range
			if present < size {
				absent = []value.Range{{Start: present, End: size}}
			}
			t.Logf("%s at %#x: %d of %d bytes, absent %v", typ, addr, len(o.Bytes), o.Whole, o.Absent)
			if o.Whole != size || len(o.Bytes) != size || !slices.Equal(o.Absent, absent) {
				t.Errorf("%s at %#x: %d of %d bytes, absent %v; want %d, %v", typ, addr, len(o.Bytes), o.Whole, o.Absent, size, absent)
				continue
			}
			if want := m.at(addr, present); !bytes.Equal(o.Bytes[:present], want) {
				t.Errorf("%s at %#x differs from /proc/kcore: %s", typ, addr, differs(o.Bytes[:present], want))
			}
		}
	}
}

func differs(got, want []byte) string {
	for i := range want {
		if got[i] != want[i] {
			end := min(i+16, len(want))
			return fmt.Sprintf("from byte %d on % x, want % x", i, got[i:end], want[i:end])
		}
	}
	return "not"
}

// dumps are what the spec's first value is in calls of lseek(2) with the offsets.
func dumps(t *testing.T, spec string, offsets []uint64) (all []value.Value) {
	t.Helper()
	words := []string{"pid", "@", "seek"}
	for _, o := range offsets {
		words = append(words, strconv.FormatInt(int64(o), 10))
	}
	l := prepare(t, words...)
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	machine := trace.NewMachine(fs)
	plans, err := machine.Plan([]string{spec}, trace.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d parts", spec, len(plans[0].Probes))
	pid, _ := strconv.Atoi(l.pid)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	armed, err := machine.Arm(ctx, plans, trace.Options{Pids: []int{pid}})
	if err != nil {
		t.Fatal(err)
	}
	reading, end := context.WithCancel(context.Background())
	go func() {
		defer end()
		l.run()
	}()
	for c, err := range armed.Calls(reading) {
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range armed.Values(c) {
			if o := v.Object; o != nil { // the next call has its memory
				own := *o
				own.Bytes, own.Absent = slices.Clone(o.Bytes), slices.Clone(o.Absent)
				v.Object = &own
			}
			all = append(all, v)
			break
		}
	}
	if err := armed.Close(); err != nil {
		t.Error(err)
	}
	if len(all) != len(offsets) {
		t.Fatalf("%d calls, want %d", len(all), len(offsets))
	}
	return all
}
