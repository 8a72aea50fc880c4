package fetchargs_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/query"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/store"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// Kernels before 4.17 pass the arguments of a system call as any others.
func TestPlainSyscalls(t *testing.T) {
	kernel := kernelOf(t, "long sys_openat(int dfd, char *filename)", "long SyS_unlinkat(int dfd, char *filename)")
	target := &target.Target{Arch: abi.Named("amd64"), Kernel: kernel}
	for text, want := range map[string]string{
		"sys_openat(dfd, filename)":        "p:g/sys_openat sys_openat dfd=%di:s32 filename_ptr=%si:x64 filename=+0(%si):string",
		"openat(dfd)":                      "p:g/sys_openat sys_openat dfd=%di:s32",
		"syscall:openat(dfd)":              "p:g/sys_openat sys_openat dfd=%di:s32",
		"unlinkat(dfd) if dfd == AT_FDCWD": "p:g/SyS_unlinkat SyS_unlinkat dfd=%di:s32",
	} {
		plans, err := resolveOne(text, target)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := strings.Join(plans[0].Probes[0].Definitions("g"), "; "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func resolveOne(text string, target *target.Target) ([]*plan.Plan, error) {
	s, err := spec.Parse(text)
	if err != nil {
		return nil, err
	}
	return fetchargs.Resolve([]*spec.Spec{s}, target)
}

// A recorded system call is chosen by any of its names. It is shown also by values that its
// function for 32-bit programs lacks, as it is live: that this function is left out is
// reported. A value that no function has is an error.
func TestSyscallsRecorded(t *testing.T) {
	target := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "syscalls-newest.btf"))}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	recorded := map[string][]*plan.Plan{}
	for _, text := range []string{"openat(dfd, flags)", "mmap"} {
		plans, err := resolveOne(text, target)
		if err != nil {
			t.Fatal(err)
		}
		data, err := store.Save(plans)
		if err != nil {
			t.Fatal(err)
		}
		if recorded[text], err = store.Load(data); err != nil {
			t.Fatal(err)
		}
	}
	openat, mmap := []string{"sys_openat", "compat_sys_openat"}, []string{"sys_mmap", "compat_sys_mmap_pgoff"}
	for _, tt := range []struct {
		recorded, spec string
		funcs          []string
		left           string
	}{
		{"openat(dfd, flags)", "openat(flags)", openat, ""},
		{"openat(dfd, flags)", "sys_openat(dfd)", openat, ""},
		{"openat(dfd, flags)", "syscall:openat", openat, ""},
		{"openat(dfd, flags)", "sys_*", openat, ""},
		{"openat(dfd, flags)", "syscall:o*", openat, ""},
		{"openat(dfd, flags)", "compat_sys_openat", openat[1:], ""},
		{"openat(dfd, flags)", "sys_open", nil, ""},
		{"openat(dfd, flags)", "syscall:close", nil, ""},
		{"openat(dfd, flags)", "ext4:openat", nil, ""},
		{"mmap", "mmap", mmap, ""},
		{"mmap", "mmap(len)", mmap, ""},
		{"mmap", "mmap(off, return)", mmap[:1], "mmap: 1 of 2 functions is left out: compat_sys_mmap_pgoff (off of mmap was not recorded)"},
		{"mmap", "sys_mmap(len) if off > 0", mmap[:1], "sys_mmap: 1 of 2 functions is left out: compat_sys_mmap_pgoff (off of sys_mmap was not recorded)"},
		{"mmap", "mmap(pgoff)", nil, ""},
		{"mmap", "mmap(nothing)", nil, ""},
	} {
		s, err := spec.Parse(tt.spec)
		if err != nil {
			t.Fatal(err)
		}
		chosen, _, err := query.Select([]*spec.Spec{s}, recorded[tt.recorded], false, nil)
		var got []string
		for _, p := range chosen {
			got = append(got, p.Func.Name)
		}
		left := ""
		for _, g := range plan.Globs(chosen) {
			left += g.Warning(0)
		}
		if !slices.Equal(got, tt.funcs) || left != tt.left || (err == nil) != (tt.funcs != nil) {
			t.Errorf("%s: %q, %q, %v; want %q", tt.spec, got, left, err, tt.funcs)
		}
	}
}

// TestSyscalls32Recorded: a call that 32-bit programs make in place of another is chosen
// by the name of either.
func TestSyscalls32Recorded(t *testing.T) {
	target := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "syscalls-newest.btf"))}
	target.Features, _ = dynevent.FeaturesOf("6.12")
	plans, err := resolveOne("futex(op)", target)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{"futex": 3, "sys_futex(op)": 3, "compat_sys_futex_time32": 1, "futex_time32": 1, "compat_sys_*": 2, "sys_futex_time64": 0} {
		s, err := spec.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		chosen, _, err := query.Select([]*spec.Spec{s}, plans, false, nil)
		if len(chosen) != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %d plans, %v; want %d", text, len(chosen), err, want)
		}
	}
	if steps, _ := plan.Steps(plans, nil); len(steps) != 1 || len(steps[0].Notes) != 1 {
		t.Errorf("%d steps with the notes %q", len(steps), steps[0].Notes)
	}
}

// A step of a chain is one function.
func TestSyscallsInChain(t *testing.T) {
	target := &target.Target{Arch: abi.Named("amd64"), Kernel: btf.Open(filepath.Join("..", "testdata", "btf", "syscalls-newest.btf"))}
	var plans []*plan.Plan
	for _, text := range []string{"openat", "read", "compat_sys_write", "getpid"} {
		more, err := resolveOne(text, target)
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, more...)
	}
	from := make([]int, len(plans))
	for i := range from {
		from[i] = i
	}
	steps, kept := plan.Steps(plans, from)
	var names []string
	for i, p := range steps {
		names = append(names, p.Func.Name)
		if plans[kept[i]] != p {
			t.Errorf("%s is not where it says", p.Func.Name)
		}
	}
	if want := []string{"sys_openat", "sys_read", "compat_sys_write", "sys_getpid"}; len(plans) != 6 || !slices.Equal(names, want) {
		t.Errorf("%q of %d plans", names, len(plans))
	}
}
