package btf

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf/thin"
)

const (
	sampleTypes = "../testdata/btf/sample.btf"
	moduleTypes = "testdata/snoop-mod.btf"
)

// undecoded returns the kernel of files as one whose BTF is large enough to be cut.
func undecoded(tb testing.TB, files ...string) *Kernel {
	tb.Helper()
	data, err := os.ReadFile(files[0])
	if err != nil {
		tb.Fatal(err)
	}
	r, err := thin.Parse(data)
	if err != nil {
		tb.Fatal(err)
	}
	return &Kernel{files: files, loaded: true, base: &blob{raw: r, size: r.Size()}}
}

// listOf returns the functions of Prototypes, or those of Funcs.
func listOf(k *Kernel, pattern string, text bool) (all []string, err error) {
	if text {
		list, err := k.Prototypes(pattern)
		if err != nil {
			return nil, err
		}
		for f := range list {
			all = append(all, fmt.Sprintf("%s %s: %s", f.Module, f.Name, f.Text))
		}
		return all, nil
	}
	funcs, err := k.Funcs(pattern)
	for _, f := range funcs {
		all = append(all, fmt.Sprintf("%s %s: %s", f.Module, f.Name, f))
	}
	return all, err
}

// TestPrototypes: the text of each function is that of the decoded one, in the same order,
// from undecoded and from decoded BTF of the kernel and of a module on top of it.
func TestPrototypes(t *testing.T) {
	files, err := filepath.Glob("../testdata/btf/*.btf")
	if err != nil || len(files) < 6 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, pattern := range []string{"*", "*_[a-m]*", "vfs_*", "nosuch*", "["} {
			comparePrototypes(t, Open(file), undecoded(t, file), pattern)
		}
	}
	for _, pattern := range []string{"*", "mod:snoop_mod", "snoop-mod:*", "mod:snoop_mod:mod_[rs]*", "mod:vmlinux:pkt_*", "vmlinux:pkt_*", "mod:nosuch", "mod:", "pkt_*"} {
		cut := undecoded(t, sampleTypes, moduleTypes)
		comparePrototypes(t, Open(sampleTypes, moduleTypes), cut, pattern)
		if len(cut.modules) > 0 || cut.base.spec != nil {
			t.Errorf("%s: BTF was decoded", pattern)
		}
	}
}

func comparePrototypes(t *testing.T, whole, cut *Kernel, pattern string) {
	t.Helper()
	want, failed := listOf(whole, pattern, false)
	for how, k := range map[string]*Kernel{"undecoded": cut, "decoded": whole} {
		got, err := listOf(k, pattern, true)
		if diff := cmp.Diff(want, got); diff != "" || fmt.Sprint(err) != fmt.Sprint(failed) {
			t.Errorf("%s, Prototypes(%q) of %v, error %v, want %v, -want +got:\n%s", how, pattern, k.files, err, failed, diff)
		}
	}
}

// TestPrototypesRunning compares the functions of the kernel that runs the test.
func TestPrototypesRunning(t *testing.T) {
	k := Running()
	want, err := listOf(k, "*", false)
	if err != nil {
		t.Skip(err)
	}
	got, err := listOf(k, "*", true)
	if err != nil || !slices.Equal(want, got) {
		t.Errorf("%d functions, %v, want %d:\n%s", len(got), err, len(want), cmp.Diff(want, got))
	}
}

// TestPrototypesOdd: what no kernel has is written as Func.String does: prototypes of more
// words than there may be, types that lead back to themselves, equal functions, those that
// are not listed, names of more bytes than are kept.
func TestPrototypesOdd(t *testing.T) {
	number := &Int{Name: "int", Size: 4, Encoding: IsSigned}
	params := func(n int, typ Type) (all []Param) {
		for i := range n {
			all = append(all, Param{Name: fmt.Sprint("p", i), Type: typ})
		}
		return all
	}
	fn := func(name string, ret Type, params ...Param) Type {
		return &cbtf.Func{Name: name, Type: &FuncProto{Return: ret, Params: params}}
	}
	callback := &Pointer{Target: &FuncProto{Return: number, Params: params(2, number)}}
	twice := &FuncProto{}
	twice.Return = &Pointer{Target: twice}
	twice.Params = params(2, &Pointer{Target: twice})
	stars := Type(number)
	for range maxWords + 2 {
		stars = &Pointer{Target: stars}
	}
	nothing := (*Void)(nil)
	void := &Typedef{Name: "nothing", Type: nothing}
	types := []Type{
		fn("same", number), fn("same", number), fn("same", nothing), fn("same", number),
		fn("callbacks", callback, params(20, callback)...),
		fn("callbacks_many", callback, params(60, callback)...),
		fn("many", number, params(mostParams, number)...),
		fn("too_many", number, params(mostParams+1, number)...),
		fn("twice", twice, params(1, twice)...),
		fn("stars", stars, params(1, stars)...),
		fn("stars_returned", stars),
		fn("unnamed", nothing, Param{Type: callback}, Param{Type: number}, Param{Type: &Array{Index: number, Type: number, Nelems: 3}}),
		fn("unnamed_void", nothing, Param{Type: number}, Param{Type: void}),
		fn("named_void", nothing, Param{Name: "x", Type: void}),
		fn("long", number, params(3, &Pointer{Target: &Struct{Name: strings.Repeat("x", 2*mostSpelling)}})...),
		fn("tagged", number, params(2, &Pointer{Target: &TypeTag{Value: "user", Type: &Const{Type: &Volatile{Type: number}}}})...),
		fn("others", &Fwd{Name: "u", Kind: cbtf.FwdUnion}, Param{Name: "r", Type: &Const{Type: &Restrict{Type: &Pointer{Target: &Fwd{Name: "s"}}}}}, Param{Name: "f", Type: &Float{Name: "double", Size: 8}}),
	}
	b, err := cbtf.NewBuilder(types, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := b.Marshal(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "odd.btf")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	comparePrototypes(t, Open(file), undecoded(t, file), "*")
	if got, err := listOf(undecoded(t, file), "same", true); len(got) != 2 {
		t.Errorf("same: %q, %v, want two", got, err)
	}
}

// TestListCost: a list of ten times as many functions takes no further allocations but those
// of slices that grow.
func TestListCost(t *testing.T) {
	number := &Int{Name: "int", Size: 4, Encoding: IsSigned}
	pointer := &Pointer{Target: &Struct{Name: "file"}}
	allocs := func(functions int) float64 {
		b, err := cbtf.NewBuilder(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range functions {
			proto := &FuncProto{Return: number, Params: []Param{{Name: fmt.Sprint("p", i), Type: pointer}, {Name: "n", Type: number}}}
			if _, err := b.Add(&cbtf.Func{Name: fmt.Sprint("f", i), Type: proto}); err != nil {
				t.Fatal(err)
			}
		}
		data, err := b.Marshal(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(3, func() {
			r, err := thin.Parse(data)
			if err != nil {
				t.Fatal(err)
			}
			list, err := (&Kernel{loaded: true, base: &blob{raw: r}}).Prototypes("f*")
			if err != nil {
				t.Fatal(err)
			}
			listed := 0
			for range list {
				listed++
			}
			if listed != functions {
				t.Errorf("%d functions, want %d", listed, functions)
			}
		})
	}
	if few, many := allocs(1000), allocs(10000); many > few+40 || few > 120 {
		t.Errorf("%v allocations for 1000 functions, %v for 10,000", few, many)
	}
}

// BenchmarkList lists the functions of a kernel, all and a few of them.
func BenchmarkList(b *testing.B) {
	for _, pattern := range []string{"*", "vfs_*"} {
		b.Run(pattern, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				k, functions := Running(), 0
				list, err := k.Prototypes(pattern)
				if err != nil {
					b.Skip(err)
				}
				for range list {
					functions++
				}
				b.ReportMetric(float64(functions), "functions")
			}
		})
	}
}
