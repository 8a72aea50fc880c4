package fetchargs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// TestPlaced: the kernel is given addresses of its own variables, people names.
func TestPlaced(t *testing.T) {
	parsed, err := spec.Parse("vfs_read(@init_task.comm, @jiffies, @mod_data:u32, @nr_threads)")
	if err != nil {
		t.Fatal(err)
	}
	kernel := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "linux-6.12-amd64.btf"))}
	kernel.Features, _ = dynevent.FeaturesOf("5.10")
	kernel.Places = map[string]target.SymbolPlace{
		"mod_data":   {Addrs: []uint64{0xffffffffc0002000}, Module: true},
		"nr_threads": {Addrs: []uint64{0}, Hidden: true},
		"init_task":  {Addrs: []uint64{0xffffffff82a00000}},
		"jiffies":    {Addrs: []uint64{0xffffffff82a00000}},
	}
	plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, kernel)
	if err != nil {
		t.Fatal(err)
	}
	probe := plans[0].Entry()
	const head = "p:g/vfs_read vfs_read "
	for _, tt := range []struct {
		lines []string
		want  string
	}{
		{probe.Definitions("g"), head + "jiffies=@jiffies:u64 mod_data=@mod_data:u32 nr_threads=@nr_threads:s32 init_task_comm=@init_task+2976:string"},
		{probe.Placed("g"), head + "jiffies=@0xffffffff82a00000:u64 mod_data=@mod_data:u32 nr_threads=@nr_threads:s32 init_task_comm=@0xffffffff82a00ba0:string"},
	} {
		if got := strings.Join(tt.lines, "\n"); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// TestTextOfVariable: text at the address of a variable is read there, so its address need not
// be known.
func TestTextOfVariable(t *testing.T) {
	kernel := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "linux-6.12-amd64.btf"))}
	for _, text := range []string{"vfs_read((char *)&@init_task)", `vfs_read((char *)&@init_task == "x")`} {
		parsed, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, kernel)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(plans[0].Entry().Definitions("g"), "\n"); !strings.HasSuffix(got, "=@init_task:string") {
			t.Errorf("%s: %s", text, got)
		}
	}
}

// TestPlacedOnCPUs: so is the address of the table of where each CPU has its own.
func TestPlacedOnCPUs(t *testing.T) {
	parsed, err := spec.Parse("vfs_read($current->pid)")
	if err != nil {
		t.Fatal(err)
	}
	kernel := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "linux-6.12-amd64.btf"))}
	kernel.Features, _ = dynevent.FeaturesOf("5.10")
	kernel.Places = map[string]target.SymbolPlace{"current_task": {Addrs: []uint64{0x1fbc0}, PerCPU: true}}
	const table = 0xffffffff82a00000
	kernel.CPUs = &target.CPUs{Each: []dynevent.CPU{{N: 0, Table: table}, {N: 2, Table: table}}, Later: []int{4}}
	plans, err := fetchargs.Resolve([]*spec.Spec{parsed}, kernel)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(append(plans[0].Entry().Placed("g"), plans[0].Notes...), "\n")
	const want = `p:g/vfs_read vfs_read current_pid=+2432(+129984(@0xffffffff82a00000)):s32 current=+129984(@0xffffffff82a00000):x64 on_cpu=\0x0:u16
p:g/vfs_read vfs_read current_pid=+2432(+129984(@0xffffffff82a00010)):s32 current=+129984(@0xffffffff82a00010):x64 on_cpu=\0x2:u16
calls on CPUs that are offline now (1) are not seen if they come online`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if n := plans[0].Entry().Times(); n != 2 {
		t.Errorf("%d records of each hit, want 2", n)
	}
}
