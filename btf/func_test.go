package btf_test

import (
	"errors"
	"path"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf"
)

func TestFunc(t *testing.T) {
	for _, tt := range []struct{ module, name, wantModule, want string }{
		{"", "pkt_rcv", "", "int pkt_rcv(struct pkt *pkt, struct dev *dev, u16 proto, bool fast)"},
		{"", "pkt_free", "", "void pkt_free(struct pkt *pkt)"},
		{"", "pkt_alloc", "", "struct pkt *pkt_alloc(const struct dev *restrict dev, size_t size)"},
		{"", "dev_open", "", "long int dev_open(int dfd, const char *filename, umode_t mode)"},
		{"", "many_args", "", "int many_args(int a, long int b, char c, short int d, u8 e, u64 f, int g, short int h, struct dev *i)"},
		{"", "by_value", "", "int by_value(struct small s, struct wide w, struct dev *dev)"},
		{"", "give_huge", "", "struct huge give_huge(struct dev *dev)"},
		{"", "int128", "", "int int128(__int128 big, int after)"},
		{"", "floats", "", "int floats(int a, double d, int b)"},
		{"", "variadic", "", "int variadic(const char *fmt, ...)"},
		{"", "lists", "", "int lists(struct list_head *node, char **argv, u8 *raw)"},
		{"", "nothing", "", "void nothing(void)"},
		{"", "pkt_kind", "", "enum pkt_kind pkt_kind(struct pkt *pkt, enum pkt_kind kind)"}, // also an enum

		{"vmlinux", "pkt_free", "", "void pkt_free(struct pkt *pkt)"},
		{"snoop_mod", "pkt_free", "snoop_mod", "int pkt_free(struct pkt *pkt, int how)"},
		{"snoop-mod", "pkt_free", "snoop_mod", "int pkt_free(struct pkt *pkt, int how)"},
		{"", "mod_rcv", "snoop_mod", "int mod_rcv(mod_priv_t *priv, struct pkt *pkt)"},
		{"", "mod_state", "snoop_mod", "enum mod_state mod_state(struct mod_priv *priv)"},
	} {
		f, err := withModule().Func(tt.module, tt.name)
		if err != nil {
			t.Errorf("Func(%q, %q): %v", tt.module, tt.name, err)
			continue
		}
		if got := f.String(); got != tt.want || f.Module != tt.wantModule || f.Name != tt.name || f.Copies != 1 {
			t.Errorf("Func(%q, %q) = %s of module %q, copies %d, want %s of module %q", tt.module, tt.name, got, f.Module, f.Copies, tt.want, tt.wantModule)
		}
	}
}

func TestFuncNotFound(t *testing.T) {
	for _, tt := range []struct {
		module, name string
		want         btf.NotFoundError
	}{
		{"", "pkt_recv", btf.NotFoundError{What: "function", Name: "pkt_recv", In: "vmlinux", Suggestions: []string{"pkt_rcv"}}},
		{"vmlinux", "mod_rcv", btf.NotFoundError{What: "function", Name: "mod_rcv", In: "vmlinux"}},
		{"snoop_mod", "mod_rvc", btf.NotFoundError{What: "function", Name: "mod_rvc", In: "module snoop_mod", Suggestions: []string{"mod_rcv"}}},
		{"snoop_mod", "nothing", btf.NotFoundError{What: "function", Name: "nothing", In: "module snoop_mod"}},
		{"snoopmod", "mod_rcv", btf.NotFoundError{What: "module", Name: "snoopmod", Suggestions: []string{"snoop_mod"}}},
		{"", "", btf.NotFoundError{What: "function", In: "vmlinux"}},
		{"", "list_head", btf.NotFoundError{What: "function", Name: "list_head", In: "vmlinux"}}, // a struct
	} {
		f, err := withModule().Func(tt.module, tt.name)
		var got *btf.NotFoundError
		if !errors.As(err, &got) {
			t.Errorf("Func(%q, %q) = %v, %v, want a *NotFoundError", tt.module, tt.name, f, err)
			continue
		}
		if diff := cmp.Diff(tt.want, *got); diff != "" {
			t.Errorf("Func(%q, %q), -want +got:\n%s", tt.module, tt.name, diff)
		}
	}
}

// TestFuncCopies asks for a name that stands for functions of several files.
func TestFuncCopies(t *testing.T) {
	number := &btf.Int{Name: "int", Size: 4, Encoding: btf.IsSigned}
	proto := func(ret btf.Type, params ...string) *btf.FuncProto {
		p := &btf.FuncProto{Return: ret}
		for _, name := range params {
			p.Params = append(p.Params, cbtf.FuncParam{Name: name, Type: number})
		}
		return p
	}
	k := built(t,
		&cbtf.Func{Name: "init", Type: proto(number, "a")},
		&cbtf.Func{Name: "init", Type: proto(number, "a")},
		&cbtf.Func{Name: "init", Type: proto(&btf.Void{}, "a", "b")},
		&cbtf.Func{Name: "init___x", Type: proto(number, "flavour")},
		&cbtf.Func{Name: "init___y", Type: proto(number, "flavour")},
	)
	for name, want := range map[string]struct {
		copies int
		text   string
	}{
		"init":     {2, "int init(int a)"},
		"init___x": {1, "int init___x(int flavour)"},
		"init___y": {1, "int init___y(int flavour)"},
	} {
		f, err := k.Func("", name)
		if err != nil {
			t.Errorf("Func(%q): %v", name, err)
		} else if f.Copies != want.copies || f.String() != want.text {
			t.Errorf("Func(%q) = %s, copies %d, want %s, copies %d", name, f, f.Copies, want.text, want.copies)
		}
	}
}

func TestFuncs(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    []string
	}{
		{"pkt_*", []string{"pkt_alloc", "pkt_free", "snoop_mod:pkt_free", "pkt_kind", "pkt_rcv"}},
		{"pkt_rcv", []string{"pkt_rcv"}},
		{"by_[mv]*", []string{"by_memory", "by_value"}},
		{"?othing", []string{"nothing"}},
		{"no_such_*", nil},
		{"", nil},
		{"mod:snoop_mod", []string{"snoop_mod:mod_frame", "snoop_mod:mod_rcv", "snoop_mod:mod_state", "snoop_mod:pkt_free"}},
		{"mod:snoop-mod:mod_*", []string{"snoop_mod:mod_frame", "snoop_mod:mod_rcv", "snoop_mod:mod_state"}},
		{"mod:snoop_mod:no_such_*", nil},
		{"mod:vmlinux:pkt_*", []string{"pkt_alloc", "pkt_free", "pkt_kind", "pkt_rcv"}},
	} {
		funcs, err := withModule().Funcs(tt.pattern)
		if err != nil {
			t.Errorf("Funcs(%q): %v", tt.pattern, err)
			continue
		}
		var got []string
		for _, f := range funcs {
			name := f.Name
			if f.Module != "" {
				name = f.Module + ":" + name
			}
			got = append(got, name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Funcs(%q), -want +got:\n%s", tt.pattern, diff)
		}
	}
}

func TestFuncsErrors(t *testing.T) {
	for _, pattern := range []string{"pkt_[", "[", "mod:snoop_mod:[a-"} {
		if funcs, err := withModule().Funcs(pattern); !errors.Is(err, path.ErrBadPattern) {
			t.Errorf("Funcs(%q) = %v, %v, want ErrBadPattern", pattern, funcs, err)
		}
	}
	for pattern, want := range map[string]btf.NotFoundError{
		"mod:nosuch":       {What: "module", Name: "nosuch"},
		"mod:nosuch:pkt_*": {What: "module", Name: "nosuch"},
		"mod:snoop_mood":   {What: "module", Name: "snoop_mood", Suggestions: []string{"snoop_mod"}},
		"mod:":             {What: "module"},
		"mod::pkt_*":       {What: "module"},
	} {
		funcs, err := withModule().Funcs(pattern)
		var got *btf.NotFoundError
		if !errors.As(err, &got) {
			t.Errorf("Funcs(%q) = %v, %v, want a *NotFoundError", pattern, funcs, err)
		} else if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("Funcs(%q), -want +got:\n%s", pattern, diff)
		}
	}
}
