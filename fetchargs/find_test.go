package fetchargs_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// TestNeedSymbols: the symbol table, which is slow, is read only for live traces of functions
// and for functions that types do not identify.
func TestNeedSymbols(t *testing.T) {
	kernel := kernelOf(t, "int once(int a)", "int twice(int a)", "long twice(long a)", "long __x64_sys_openat(struct pt_regs *regs)")
	for _, tt := range []struct {
		spec string // "" for none
		live bool
		want bool
	}{
		{"once", false, false}, {"once.isra.0", false, false}, {"twice", false, true}, {"nosuch", false, true}, {"sys_openat", false, false},
		{"once", true, true}, {"sys_openat", true, true}, {"made:alone", true, false}, {"made:alone", false, false}, {"", true, false},
	} {
		to := &target.Target{Arch: abi.Named("amd64"), Kernel: kernel, Live: tt.live, Tracepoints: tracepointsOf(t, "made")}
		var jobs []find.Job
		if tt.spec != "" {
			jobs = attempts(t, to, tt.spec)[0].Jobs
		}
		if got := find.NeedSymbols(to, jobs); got != tt.want {
			t.Errorf("%q, live %t: %t", tt.spec, tt.live, got)
		}
	}
}

func attempts(t *testing.T, to *target.Target, texts ...string) []find.Attempt {
	t.Helper()
	specs, errs := spec.ParseAll(texts)
	all, err := find.Attempts(to, specs)
	if errs != nil || err != nil {
		t.Fatal(errs, err)
	}
	return all
}

// TestIsLater: a spec waits for its module if that may have what it names, or what starts its
// clock, and nothing else has.
func TestIsLater(t *testing.T) {
	unknown := errors.New("no BTF")
	to := &target.Target{
		Arch: abi.Named("amd64"), Kernel: kernelOf(t, "int there(btf_trace_later later)"), Tracepoints: tracepointsOf(t, "made"),
		Awaited: map[string]error{"made": nil, "drv": unknown, "p": unknown, "tp": unknown, "syscall": unknown},
	}
	for text, want := range map[string]bool{
		"made:later": true, "made:nosuch": false, "made:alone": false, "made:al*": false, "none:later": false,
		"drv:function": true, "drv:f*": true, "drv:alone": false, "there()": false, "p:there": false, "tp:later": false, "syscall:later": false,
		"drv:function | there()": false, "drv:function | made:later": true,
		"there(since(later, drv:function(later)))": true, "there(since(later, made:alone(value)))": false,
	} {
		specs, errs := spec.ParseAll([]string{text})
		if errs != nil {
			t.Fatal(errs)
		}
		if got := find.IsLater(to, specs[0]); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
	to.Tracepoints = nil
	if specs, _ := spec.ParseAll([]string{"drv:function"}); find.IsLater(to, specs[0]) {
		t.Error("a spec waits for events of a kernel whose events are not known")
	}
}

// TestMembers lists what is in the groups that specs name things by.
func TestMembers(t *testing.T) {
	to := &target.Target{Arch: abi.Named("amd64"), Kernel: kernelOf(t, "long __x64_sys_openat(struct pt_regs *regs)"), Tracepoints: tracepointsOf(t, "made")}
	for group, want := range map[string]string{
		"syscall": "[openat system call]", "made": "[alone event bare event state event]", "nosuch": "[]",
	} {
		var got []string
		for name, is := range find.Members(to, group) {
			got = append(got, name, is)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", group, got, want)
		}
	}
}

// TestManyFunctions: in a live trace a glob may match 5000 functions. For one that matches
// none, beginnings that many names have are offered rather than closer ones of few.
func TestManyFunctions(t *testing.T) {
	prototypes := []string{"void abcdez_rare()", "void raress_rare()", "void qrs()"}
	for i := range 5000 {
		prototypes = append(prototypes, fmt.Sprintf("void x%05d_%d()", i%120, i))
	}
	for i := range 50 {
		prototypes = append(prototypes, fmt.Sprintf("void abcdyz_%d()", i))
	}
	to := &target.Target{Arch: abi.Named("amd64"), Kernel: kernelOf(t, prototypes...)}
	for _, tt := range []struct {
		glob string
		live bool
		want string
	}{
		{"x*()", true, "5000 functions"},
		{"*()", false, "5053 functions"},
		{"*()", true, "* stands for 5053 functions, 5000 can be traced at once; choose fewer: tsnoop list '*' shows them"},
		{"abcdef*()", true, "no function of this kernel matches abcdef*; did you mean abcdyz*?"},
		{"raresx*()", true, "no function of this kernel matches raresx*; did you mean raress*?"},
		{"qrx*()", true, "no function of this kernel matches qrx*; did you mean qrs*?"},
	} {
		to.Live = tt.live
		a := attempts(t, to, tt.glob)[0]
		got := fmt.Sprintf("%d functions", len(a.Jobs))
		for _, e := range a.Errs {
			got = e.Msg + "; " + e.Hint
		}
		if got != tt.want {
			t.Errorf("%s, live %t: %s, want %s", tt.glob, tt.live, got, tt.want)
		}
	}
}

// TestManyErrors: of specs that are all wrong, so many are looked at as errors are shown.
func TestManyErrors(t *testing.T) {
	to := &target.Target{Arch: abi.Named("amd64"), Kernel: kernelOf(t, "void there()")}
	if n := len(attempts(t, to, slices.Repeat([]string{"nosuch*"}, spec.MaxErrors+1)...)); n != spec.MaxErrors {
		t.Errorf("%d specs are looked at, want %d", n, spec.MaxErrors)
	}
}

// TestWarning lists the functions that a glob leaves out, as many for each reason as are asked
// for. A single further one is also listed.
func TestWarning(t *testing.T) {
	for _, tt := range []struct {
		left, most int
		want       string
	}{
		{0, 2, ""},
		{1, 2, "f*: 1 of 9 functions is left out: f0 (not traceable)"},
		{3, 2, "f*: 3 of 9 functions are left out: f0, f1, f2 (not traceable)"},
		{4, 2, "f*: 4 of 9 functions are left out: f0, f1 and 2 more (not traceable)"},
		{4, 0, "f*: 4 of 9 functions are left out: f0, f1, f2, f3 (not traceable)"},
	} {
		g := &find.Glob{Spec: &spec.Spec{Func: spec.Name{Text: "f*"}}, Matches: 9}
		for i := range tt.left {
			g.Left = append(g.Left, find.LeftOut{Func: fmt.Sprintf("f%d", i), Why: "not traceable"})
		}
		if got := g.Warning(tt.most); got != tt.want {
			t.Errorf("%d, at most %d: %s, want %s", tt.left, tt.most, got, tt.want)
		}
	}
}
