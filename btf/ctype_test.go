package btf_test

import (
	"errors"
	"strings"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/btf"
)

func TestType(t *testing.T) {
	k := withModule()
	for _, tt := range []struct{ text, want string }{
		{"struct pkt", "struct pkt"},
		{"struct pkt *", "struct pkt *"},
		{"struct pkt*", "struct pkt *"},
		{" struct\tpkt  * * ", "struct pkt **"},
		{"enum level", "enum level"},
		{"u32", "u32"},
		{"umode_t", "umode_t"},
		{"atomic_t *", "atomic_t *"},
		{"struct opaque *", "struct opaque *"},

		{"void", "void"},
		{"void *", "void *"},
		{"char **", "char **"},
		{"bool", "_Bool"},
		{"_Bool", "_Bool"},
		{"double", "double"},
		{"__int128", "__int128"},

		{"int", "int"},
		{"signed", "int"},
		{"signed int", "int"},
		{"unsigned", "unsigned int"},
		{"unsigned int", "unsigned int"},
		{"int unsigned", "unsigned int"},
		{"short", "short int"},
		{"signed short int", "short int"},
		{"unsigned short", "short unsigned int"},
		{"long", "long int"},
		{"long signed int", "long int"},
		{"unsigned long", "long unsigned int"},
		{"unsigned long int", "long unsigned int"},
		{"long unsigned int", "long unsigned int"},
		{"long long", "long long int"},
		{"long int long", "long long int"},
		{"unsigned long long", "long long unsigned int"},
		{"long unsigned long int", "long long unsigned int"},
		{"char", "char"},
		{"signed char", "signed char"},
		{"char signed", "signed char"},
		{"unsigned char", "unsigned char"},
		{"long double", "long double"}, // not in the sample
		{"float", "float"},             // nor this
		{"unsigned __int128", "__int128 unsigned"},

		{"const char *", "char *"},
		{"char const *", "char *"},
		{"char *const *", "char **"},
		{"volatile const unsigned long", "long unsigned int"},
		{"unsigned const long", "long unsigned int"},
		{"struct dev *restrict", "struct dev *"},
		{"const struct dev *__restrict", "struct dev *"},
		{"struct pkt __rcu *", "struct pkt *"},
		{"char __user *", "char __user *"},
		{"const char __user *", "char __user *"},
		{"char *__user *", "char *__user *"},
		{"char __user", "char"},

		{"u8 [6]", "u8 [6]"},
		{"u8[6]", "u8 [6]"},
		{"char [0x10]", "char [16]"},
		{"u32 [2][3]", "u32 [2][3]"},
		{"struct dev *[4]", "struct dev *[4]"},
		{"u8 []", "u8 []"},

		{"struct mod_priv *", "struct mod_priv *"},
		{"mod_priv_t", "mod_priv_t"},
		{"enum mod_state", "enum mod_state"},
	} {
		typ, err := k.Type(tt.text)
		if err != nil {
			t.Errorf("Type(%q): %v", tt.text, err)
		} else if got := btf.Name(typ); got != tt.want {
			t.Errorf("Type(%q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestTypeIdentity: the type found is that of the BTF, not one spelled alike.
func TestTypeIdentity(t *testing.T) {
	k := sample()
	f, err := k.Func("", "pkt_rcv")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := mustType(t, k, "struct pkt"), f.Params[0].Type.(*btf.Pointer).Target; got != want {
		t.Errorf("Type(struct pkt) = %p, want %p", got, want)
	}
	if got, want := mustType(t, k, "u16"), f.Params[2].Type; got != want {
		t.Errorf("Type(u16) = %p, want %p", got, want)
	}
	if got, want := mustType(t, k, "int"), f.Return; got != want {
		t.Errorf("Type(int) = %p, want %p", got, want)
	}
}

func TestTypeNotFound(t *testing.T) {
	for _, tt := range []struct {
		text, name string
		near       []string
	}{
		{"struct pkd", "struct pkd", []string{"struct pkt"}},
		{"struct ptk *", "struct ptk", []string{"struct pkt"}},
		{"struct list_heda", "struct list_heda", []string{"struct list_head"}},
		{"pkt", "pkt", []string{"struct pkt"}},
		{"list_head *", "list_head", []string{"struct list_head"}},
		{"level", "level", []string{"enum level"}},
		{"union pkt", "union pkt", []string{"struct pkt"}},
		{"struct u32", "struct u32", []string{"u32"}},
		{"refcnt_t", "refcnt_t", []string{"refcount_t"}},
		{"struct nosuch_at_all", "struct nosuch_at_all", nil},
		{"pkt_rcv", "pkt_rcv", nil}, // a function
	} {
		typ, err := sample().Type(tt.text)
		var missing *btf.NotFoundError
		if !errors.As(err, &missing) {
			t.Errorf("Type(%q) = %v, %v, want a *NotFoundError", tt.text, typ, err)
			continue
		}
		got := missing.Suggestions
		if len(got) > len(tt.near) && len(tt.near) > 0 {
			got = got[:len(tt.near)] // the best ones count
		}
		if diff := cmp.Diff(tt.near, got); diff != "" || missing.Name != tt.name || missing.What != "type" {
			t.Errorf("Type(%q): no %s %q, want name %q; near, -want +got:\n%s", tt.text, missing.What, missing.Name, tt.name, diff)
		}
	}
}

func TestTypeErrors(t *testing.T) {
	var missing *btf.NotFoundError
	for _, text := range []string{
		"", " ", "*", "const", "struct", "struct *", "struct 7", "struct pkt pkt", "u32 u32", "unsigned u32",
		"int int", "long char", "short long", "unsigned signed", "signed bool", "signed double", "signed void",
		"unsigned float", "void void", "long long long", "int (*)(int)", "char [", "char [x]", "char [-1]", "char [4",
		"char []*", "char [4294967296]", "7", "u32,", "u32.b", "\x00", "struct pkt;",
		"char " + strings.Repeat("*", 1000), "char " + strings.Repeat("[1]", 1000),
	} {
		if typ, err := sample().Type(text); err == nil || errors.As(err, &missing) {
			t.Errorf("Type(%.40q) = %s, %v, want an error of spelling", text, btf.Name(typ), err)
		}
	}
}

// TestTypePrefersDefinition: modules define what vmlinux only declares.
func TestTypePrefersDefinition(t *testing.T) {
	if typ := mustType(t, sample(), "struct opaque"); !isA[*btf.Fwd](typ) {
		t.Errorf("Type(struct opaque) = %T, want a declaration", typ)
	}
	k := withModule()
	if typ := mustType(t, k, "struct opaque"); !isA[*btf.Struct](typ) {
		t.Errorf("with the module, Type(struct opaque) = %T, want its definition", typ)
	}
	place, err := btf.Member(mustType(t, k, "struct dev"), "priv")
	if err != nil {
		t.Fatal(err)
	}
	declared := place.Type.(*btf.Pointer).Target
	if got := k.Complete(declared); !isA[*btf.Struct](got) {
		t.Errorf("Complete(%s) = %T, want its definition", btf.Name(declared), got)
	}
	if got := sample().Complete(declared); got != declared {
		t.Errorf("without the module, Complete(%s) = %T, want it as it is", btf.Name(declared), got)
	}
	if typ := mustType(t, k, "u32"); k.Complete(typ) != typ {
		t.Error("Complete(u32) is another type")
	}
}

// TestTypeDeclaredKeyword: a union that is only declared is not taken for a struct.
func TestTypeDeclaredKeyword(t *testing.T) {
	k := built(t, &btf.Fwd{Name: "later", Kind: cbtf.FwdUnion})
	if typ := mustType(t, k, "union later"); !isA[*btf.Fwd](typ) {
		t.Errorf("Type(union later) = %T, want a declaration", typ)
	}
	var missing *btf.NotFoundError
	if typ, err := k.Type("struct later"); !errors.As(err, &missing) {
		t.Errorf("Type(struct later) = %v, %v, want a *NotFoundError", typ, err)
	}
}

func isA[T btf.Type](t btf.Type) bool { _, ok := t.(T); return ok }
