//go:build vm

package suite

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// A memory reads the kernel's own, from /proc/kcore.
type memory struct {
	t       *testing.T
	core    *elf.File
	symbols *symbols.Table
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
	return &memory{t, core, symbols.Running()}
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
// several: one that is quiet, the kernel's own text, and the memory around the pages
// before and after a stack, which are never there. Missing memory must be reported as
// absent, to the element, and all else must be right. So it is with the names of the
// tasks in the records and without: another string is in their place.
func TestVMDump(t *testing.T) {
	m := openMemory(t)
	task := m.word(m.symbol("init_task")+offsetOf(t, "struct task_struct", "tasks")) - offsetOf(t, "struct task_struct", "tasks")
	stack := m.word(task + offsetOf(t, "struct task_struct", "stack")) // of process 1
	before, gap := stack-4096, stack+4*4096
	lo := m.word(m.symbol("init_net") + offsetOf(t, "struct net", "loopback_dev"))
	text := m.symbol("_stext")
	types := []string{"struct net_device", "struct task_struct"}
	var specs []string
	for _, typ := range types {
		specs = append(specs, fmt.Sprintf("generic_file_llseek(*(%s *)offset, offset:x) if whence == 0", typ))
	}
	addrs := []uint64{
		unfaulting[0], unfaulting[1], unfaulting[2], lo, text, text + 1, gap - 1000, gap - 1004, gap - 8, gap, 0, text + 4096, gap - 6000,
		stack, stack - 8, stack - 4, stack - 1000, stack - 1004, stack - 4096, // they end where memory is
		errPointer(-14), 0x1000, 0x1234_5678_1234_5678,
	}
	for _, o := range []host.PlanOptions{{}, {Names: true}, {Witness: true}} {
		t.Run(fmt.Sprintf("names known %v, faults counted %v", o.Names, o.Witness), func(t *testing.T) {
			m.t = t
			m.compare(specs, types, addrs, lo, o, before, gap)
		})
	}
}

// unfaulting are addresses that x86 refuses to read without a fault (copy_from_kernel_nofault_allowed):
// two that are not canonical, and the page of vsyscalls, which arm64 may have memory at.
var unfaulting = [...]uint64{0xff80_0000_0000_0000, 0xffff_7fff_ffff_fff8, 0xffff_ffff_ff60_0000}

// errPointer is what a function returns as a pointer for a negative error number.
func errPointer(errno int64) uint64 { return uint64(errno) }

// compare is TestVMDump for plans with and without names.
func (m *memory) compare(specs, types []string, addrs []uint64, lo uint64, o host.PlanOptions, gaps ...uint64) {
	t := m.t
	for plan, all := range dumps(t, specs, addrs, o) {
		typ := types[plan]
		s, err := btf.Running().Type(typ)
		if err != nil {
			t.Fatal(err)
		}
		size, _ := btf.Size(s)
		if len(all) != len(addrs) {
			t.Fatalf("%s: %d calls, want %d", typ, len(all), len(addrs))
		}
		for i, got := range all {
			if addrs[i] == lo && plan > 0 { // others are after it
				continue
			}
			if slices.Contains(unfaulting[:], addrs[i]) {
				if got.Kind != value.Fault && runtime.GOARCH == "amd64" {
					t.Errorf("%s at %#x: %+v", typ, addrs[i], got)
				}
				continue
			}
			if why := m.check(got, addrs[i], size, o.Witness, gaps); why != "" {
				t.Errorf("%s at %#x: %s", typ, addrs[i], why)
			}
		}
	}
}

// check says what is wrong with what was shown of an object. The pages at the gaps are not
// there; what is after the last one may be.
func (m *memory) check(got value.Value, addr uint64, size int, witness bool, gaps []uint64) string {
	o := got.Object
	// The count of faults shows that an array faulted, and which part of it was there only by
	// others.
	doubt := 0
	if witness || os.Getenv("TSNOOP_VM_KERNEL") == "5.10" {
		doubt = 512
	}
	first, end, all := 0, 0, false // what is absent for sure, to the element
	for _, gap := range gaps {
		if addr < gap+4096 && addr+uint64(size) > gap {
			first, end = max(0, int(gap-addr))&^7, min(size, int(gap+4096-addr+7)&^7)
			all = first <= doubt
		}
	}
	isPointer := addr >= 1<<63 && addr < errPointer(-4095)
	switch {
	case got.Kind == value.Fault:
		if !isPointer || all && got.Uint == addr && (got.Reason == value.NotInMemory || witness && got.Reason == value.Unproven) {
			return ""
		}
		return fmt.Sprintf("%+v", got)
	case got.Kind != value.Dump || !isPointer || o.Addr != addr || o.Whole != size || len(o.Bytes) != size:
		return fmt.Sprintf("%+v", got)
	case end == 0 && len(o.Absent) > 0,
		end > 0 && (len(o.Absent) == 0 || o.Absent[0].Start > first || o.Absent[0].Start < first-doubt || o.Absent[0].End < end):
		return fmt.Sprintf("absent %v, want from %d to %d at least", o.Absent, first, end)
	}
	m.t.Logf("%d bytes at %#x, absent %v", size, addr, o.Absent)
	at := 0
	for _, r := range append(o.Absent, value.Range{Start: size, End: size}) {
		if want := m.at(addr+uint64(at), r.Start-at); !bytes.Equal(o.Bytes[at:r.Start], want) {
			return "from byte " + strconv.Itoa(at) + differs(o.Bytes[at:r.Start], want)
		}
		at = r.End
	}
	return ""
}

func differs(got, want []byte) string {
	for i := range want {
		if got[i] != want[i] {
			end := min(i+16, len(want))
			return fmt.Sprintf(" it differs from /proc/kcore: %d bytes on % x, want % x", i, got[i:end], want[i:end])
		}
	}
	return ""
}

// dumps are what the first value of each spec is in calls of lseek(2) with the offsets.
// o says how the trace is planned.
func dumps(t *testing.T, specs []string, offsets []uint64, o host.PlanOptions) (all [][]value.Value) {
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
	h := host.New(fs)
	plans, err := h.Plan(specs, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		t.Logf("%s: %d parts", p.Spec, len(p.Probes))
	}
	if known := plan.Witnessed(plans); known != (o.Witness && os.Getenv("TSNOOP_VM_KERNEL") != "5.10") {
		t.Errorf("a witness counts faults: %v", known)
	}
	all = make([][]value.Value, len(plans))
	pid, _ := strconv.Atoi(l.pid)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	armed, err := trace.Arm(ctx, h, plans, trace.Options{Pids: []int{pid}})
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
			all[c.Plan] = append(all[c.Plan], v)
			break
		}
	}
	if err := armed.Close(); err != nil {
		t.Error(err)
	}
	return all
}
