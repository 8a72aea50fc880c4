//go:build vm

package host

import (
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/tracefs"
)

// TestVMSyscallTable: the table of system calls agrees with the kernel's events: every
// one that has an event has the same parameters, of the same sizes.
func TestVMSyscallTable(t *testing.T) {
	fs, err := tracefs.Find()
	if err != nil {
		t.Fatal(err)
	}
	h := New(fs)
	target, err := h.Target(PlanOptions{Lines: true})
	if err != nil {
		t.Fatal(err)
	}
	live := target.SyscallParams
	target.SyscallParams = nil
	known := 0
	// 5.10's BTF has no function for perf_event_open.
	plans, err := Resolve([]string{"syscall:*()", "perf_event_open(pid, cpu)"}, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	params, sizes := map[string][]btf.Param{}, map[string]int{}
	for _, p := range plans {
		params[p.Func.Name] = p.Func.Params
	}
	for _, name := range fs.Syscalls() {
		got, ok := params["sys_"+name]
		if name == "uprobe" || name == "uretprobe" { // of no use to anybody but the kernel
			continue
		} else if !ok {
			t.Errorf("%s is not known", name)
			continue
		}
		known++
		want, _ := live(name)
		if name == "bpf" {
			want = want[:3] // 7.3 has one more
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d parameters, the kernel says %d", name, len(got), len(want))
			continue
		}
		for i, p := range want {
			size, ok := sizes[p.Type]
			if !ok {
				typ, err := target.Kernel.Type(p.Type)
				if err != nil {
					t.Logf("%s: %s: %v", name, p.Name, err)
					continue
				}
				size, _ = btf.Size(typ)
				sizes[p.Type] = size
			}
			mine, _ := btf.Size(got[i].Type)
			if got[i].Name != p.Name || mine != size && p.Name != "fd" {
				t.Errorf("%s: parameter %d is %s, the kernel says %s %s", name, i+1, btf.Declare(got[i].Type, got[i].Name), p.Type, p.Name)
			}
		}
	}
	t.Logf("%d system calls", known)
	if known < 300 {
		t.Errorf("only %d system calls", known)
	}
}
