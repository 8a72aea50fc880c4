package btf_test

import (
	"strings"
	"testing"

	cbtf "github.com/cilium/ebpf/btf"
	"github.com/tsnoop/tsnoop/btf"
)

var (
	intType  = &btf.Int{Name: "int", Size: 4, Encoding: btf.IsSigned}
	charType = &btf.Int{Name: "char", Size: 1, Encoding: btf.IsSigned}
	pktType  = &btf.Struct{Name: "pkt", Size: 8}
)

func ptr(t btf.Type) btf.Type               { return &btf.Pointer{Target: t} }
func constant(t btf.Type) btf.Type          { return &btf.Const{Type: t} }
func array(n uint32, t btf.Type) btf.Type   { return &btf.Array{Index: intType, Type: t, Nelems: n} }
func tag(value string, t btf.Type) btf.Type { return &btf.TypeTag{Value: value, Type: t} }
func proto(ret btf.Type, params ...cbtf.FuncParam) btf.Type {
	return &btf.FuncProto{Return: ret, Params: params}
}

func TestDeclare(t *testing.T) {
	param := func(name string, t btf.Type) cbtf.FuncParam { return cbtf.FuncParam{Name: name, Type: t} }
	void := &btf.Void{}
	for _, tt := range []struct {
		typ           btf.Type
		name, declare string // Name(typ), Declare(typ, "x")
	}{
		{nil, "void", "void x"},
		{void, "void", "void x"},
		{(*btf.Void)(nil), "void", "void x"},
		{intType, "int", "int x"},
		{&btf.Float{Name: "double", Size: 8}, "double", "double x"},
		{&btf.Typedef{Name: "u32", Type: intType}, "u32", "u32 x"},
		{pktType, "struct pkt", "struct pkt x"},
		{&btf.Struct{}, "struct {...}", "struct {...} x"},
		{&btf.Union{Name: "u"}, "union u", "union u x"},
		{&btf.Union{}, "union {...}", "union {...} x"},
		{&btf.Enum{Name: "e"}, "enum e", "enum e x"},
		{&btf.Enum{}, "enum {...}", "enum {...} x"},
		{&btf.Fwd{Name: "sock"}, "struct sock", "struct sock x"},
		{&btf.Fwd{Name: "sock", Kind: cbtf.FwdUnion}, "union sock", "union sock x"},

		{ptr(void), "void *", "void *x"},
		{ptr(ptr(charType)), "char **", "char **x"},
		{array(16, charType), "char [16]", "char x[16]"},
		{array(0, charType), "char []", "char x[]"},
		{array(2, array(3, intType)), "int [2][3]", "int x[2][3]"},
		{array(4, ptr(pktType)), "struct pkt *[4]", "struct pkt *x[4]"},
		{ptr(array(4, intType)), "int (*)[4]", "int (*x)[4]"},
		{ptr(ptr(array(4, intType))), "int (**)[4]", "int (**x)[4]"},

		{constant(charType), "const char", "const char x"},
		{ptr(constant(charType)), "const char *", "const char *x"},
		{constant(ptr(charType)), "char *const", "char *const x"},
		{ptr(constant(ptr(charType))), "char *const *", "char *const *x"},
		{constant(&btf.Volatile{Type: intType}), "const volatile int", "const volatile int x"},
		{&btf.Restrict{Type: constant(ptr(void))}, "void *const restrict", "void *const restrict x"},
		{array(4, constant(intType)), "const int [4]", "const int x[4]"},
		{constant(array(4, intType)), "const int [4]", "const int x[4]"},
		{ptr(constant(array(4, intType))), "const int (*)[4]", "const int (*x)[4]"},

		{ptr(tag("user", charType)), "char __user *", "char __user *x"},
		{ptr(tag("user", constant(charType))), "const char __user *", "const char __user *x"},
		{ptr(constant(tag("rcu", pktType))), "const struct pkt __rcu *", "const struct pkt __rcu *x"},
		{ptr(tag("btf_type_tag", charType)), "char *", "char *x"},
		{ptr(tag("user", ptr(charType))), "char *__user *", "char *__user *x"},

		{proto(void), "void (void)", "void x(void)"},
		{proto(nil), "void (void)", "void x(void)"},
		{ptr(proto(intType, param("p", ptr(pktType)))), "int (*)(struct pkt *p)", "int (*x)(struct pkt *p)"},
		{ptr(proto(intType, param("", ptr(pktType)))), "int (*)(struct pkt *)", "int (*x)(struct pkt *)"},
		{ptr(proto(intType, param("fmt", ptr(constant(charType))), param("", void))), "int (*)(const char *fmt, ...)", "int (*x)(const char *fmt, ...)"},
		{array(2, ptr(proto(void, param("n", intType)))), "void (*[2])(int n)", "void (*x[2])(int n)"},
		{ptr(proto(ptr(proto(intType)))), "int (*(*)(void))(void)", "int (*(*x)(void))(void)"},
	} {
		if got := btf.Name(tt.typ); got != tt.name {
			t.Errorf("Name(%v) = %q, want %q", tt.typ, got, tt.name)
		}
		if got := btf.Declare(tt.typ, "x"); got != tt.declare {
			t.Errorf("Declare(%v, x) = %q, want %q", tt.typ, got, tt.declare)
		}
	}
}

// TestCircles: types of damaged BTF lead back to themselves.
func TestCircles(t *testing.T) {
	loop := &btf.Typedef{Name: "loop"}
	loop.Type = constant(loop)
	quals := &btf.Const{}
	quals.Type = &btf.Volatile{Type: quals}
	arrays := &btf.Array{Index: intType, Nelems: 1 << 31}
	arrays.Type = arrays
	pointers := &btf.Pointer{}
	pointers.Target = pointers
	twice := &btf.FuncProto{}
	twice.Params = []cbtf.FuncParam{{Type: ptr(twice)}, {Type: ptr(twice)}}
	twice.Return = ptr(twice)
	inside := &btf.Struct{Size: 8}
	inside.Members = []cbtf.Member{{Type: inside}, {Type: inside}, {Name: "n", Type: intType}}

	for _, typ := range []btf.Type{loop, quals, arrays, pointers, twice, inside} {
		if got := btf.Name(typ); len(got) > 1<<14 {
			t.Errorf("Name(%T) has %d bytes: %.80s", typ, len(got), got)
		}
		btf.Size(typ)
		btf.Signed(typ)
		btf.IsUser(typ)
		btf.Strip(typ)
		btf.Members(typ)
		btf.Member(typ, "nosuch")
		var b strings.Builder
		if err := sample().Layout(&b, typ); err != nil {
			t.Errorf("Layout(%T): %v", typ, err)
		}
	}
}

func TestStrip(t *testing.T) {
	u32 := &btf.Typedef{Name: "u32", Type: intType}
	for _, tt := range []struct{ typ, want btf.Type }{
		{intType, intType},
		{u32, intType},
		{constant(&btf.Volatile{Type: &btf.Restrict{Type: tag("rcu", u32)}}), intType},
		{&btf.Var{Name: "v", Type: u32}, intType},
	} {
		if got := btf.Strip(tt.typ); got != tt.want {
			t.Errorf("Strip(%v) = %v, want %v", tt.typ, got, tt.want)
		}
	}
	if _, ok := btf.Strip(nil).(*btf.Void); !ok {
		t.Errorf("Strip(nil) = %v, want void", btf.Strip(nil))
	}
}

func TestIsUser(t *testing.T) {
	for _, tt := range []struct {
		typ  btf.Type
		want bool
	}{
		{ptr(tag("user", charType)), true},
		{ptr(constant(tag("user", charType))), true},
		{ptr(tag("user", constant(charType))), true},
		{&btf.Typedef{Name: "ustr", Type: ptr(tag("user", charType))}, true},
		{ptr(charType), false},
		{ptr(tag("rcu", charType)), false},
		{ptr(ptr(tag("user", charType))), false}, // the inner pointer is
		{tag("user", charType), false},
		{charType, false},
		{nil, false},
	} {
		if got := btf.IsUser(tt.typ); got != tt.want {
			t.Errorf("IsUser(%s) = %v, want %v", btf.Name(tt.typ), got, tt.want)
		}
	}
}

func TestSize(t *testing.T) {
	k := sample()
	for name, want := range map[string]int{
		"struct pkt": 5088, "struct dev": 3144, "struct in6_addr": 16, "u8": 1, "u64": 8,
		"char": 1, "short": 2, "int": 4, "unsigned long": 8, "__int128": 16, "double": 8, "bool": 1,
		"void *": 8, "struct pkt **": 8, "const struct dev *": 8, "u16 [4]": 8, "u32 [2][3]": 24, "u8 []": 0,
		"enum level": 4, "refcount_t": 4, "struct opaque *": 8, "struct dev [2]": 6288,
	} {
		if got, ok := btf.Size(mustType(t, k, name)); got != want || !ok {
			t.Errorf("Size(%s) = %d, %v, want %d", name, got, ok, want)
		}
	}
	for _, typ := range []btf.Type{
		nil, &btf.Void{}, proto(nil), &btf.Fwd{Name: "sock"}, array(2, &btf.Void{}),
		array(1<<31, array(1<<31, intType)), &btf.Typedef{Name: "v", Type: &btf.Void{}},
	} {
		if got, ok := btf.Size(typ); ok {
			t.Errorf("Size(%s) = %d, want none", btf.Name(typ), got)
		}
	}
}

func TestSigned(t *testing.T) {
	k := sample()
	for name, want := range map[string]bool{
		"int": true, "unsigned int": false, "u8": false, "loff_t": true, "size_t": false,
		"char": true, "bool": false, "enum level": true, "enum pkt_kind": false, "__int128": true,
		"char *": false, "struct pkt": false, "double": false, "void": false,
	} {
		if got := btf.Signed(mustType(t, k, name)); got != want {
			t.Errorf("Signed(%s) = %v, want %v", name, got, want)
		}
	}
	if !btf.Signed(&btf.Int{Name: "signed char", Size: 1}) { // as pahole wrote it for 5.10
		t.Error("Signed(signed char without an encoding) = false, want true")
	}
	if btf.Signed(nil) {
		t.Error("Signed(nil) = true, want false")
	}
}
