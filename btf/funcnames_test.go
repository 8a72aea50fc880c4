package btf

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf/thin"
)

// TestFuncNames: names read from undecoded BTF, of vmlinux and of a module on
// top of it, are those of the decoded functions.
func TestFuncNames(t *testing.T) {
	base, module := filepath.Join("..", "testdata", "btf", "sample.btf"), filepath.Join("testdata", "snoop-mod.btf")
	data, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	r, err := thin.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	cut := &Kernel{files: []string{base, module}, loaded: true, base: &blob{raw: r}}
	for _, tt := range []struct{ module, pattern, funcs string }{
		{"", "*", "*"},
		{"", "pkt_*", "pkt_*"},
		{"", "nosuch*", "nosuch*"},
		{"snoop-mod", "*", "mod:snoop_mod"},
		{"snoop_mod", "mod_[rs]*", "mod:snoop_mod:mod_[rs]*"},
		{"vmlinux", "pkt_*", "mod:vmlinux:pkt_*"},
	} {
		whole := Open(base, module)
		funcs, err := whole.Funcs(tt.funcs)
		if err != nil {
			t.Fatal(err)
		}
		var want []FuncName
		for _, f := range funcs {
			if name := (FuncName{f.Module, f.Name}); len(want) == 0 || want[len(want)-1] != name {
				want = append(want, name)
			}
		}
		for how, k := range map[string]*Kernel{"undecoded": cut, "decoded": whole} {
			got, err := k.FuncNames(tt.module, tt.pattern)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, FuncNames(%q, %q), -want +got (%v):\n%s", how, tt.module, tt.pattern, err, diff)
			}
		}
	}
	if len(cut.modules) > 0 {
		t.Errorf("%d modules were decoded, want none", len(cut.modules))
	}
	if names, err := cut.FuncNames("nosuch", "*"); err == nil {
		t.Errorf("FuncNames of a module that is not there: %v, want an error", names)
	}
}
