package find

import (
	"testing"

	"github.com/tsnoop/tsnoop/btf"
)

// TestVaries finds the types that have another layout in a 32-bit program. Those that contain
// themselves, as in damaged BTF, end nowhere.
func TestVaries(t *testing.T) {
	u32, long := &btf.Int{Size: 4}, &btf.Int{Size: 8}
	arrays := func(n int) (typ btf.Type) {
		typ = u32
		for range n {
			typ = &btf.Array{Type: typ, Nelems: 1}
		}
		return typ
	}
	array, object := &btf.Array{}, &btf.Struct{}
	array.Type, object.Members = array, []btf.MemberOf{{Type: object}}
	for name, tt := range map[string]struct {
		typ  btf.Type
		want bool
	}{
		"u32": {u32, false}, "long": {long, true}, "enum": {&btf.Enum{Size: 4}, false}, "wide enum": {&btf.Enum{Size: 8}, true},
		"struct": {&btf.Struct{Members: []btf.MemberOf{{Type: u32}}}, false}, "union": {&btf.Union{Members: []btf.MemberOf{{Type: long}}}, true},
		"void": {(*btf.Void)(nil), false}, "pointer": {&btf.Pointer{Target: u32}, true},
		"arrays": {arrays(16), false}, "more arrays": {arrays(17), true}, "array of itself": {array, true}, "struct in itself": {object, true},
	} {
		if got := varies(tt.typ, 0); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestToConst declares what a system call's parameter points to.
func TestToConst(t *testing.T) {
	char := &btf.Int{Name: "char", Size: 1}
	for _, tt := range []struct {
		typ  btf.Type
		want string
	}{
		{toUser(&btf.Pointer{Target: char}), "const char __user *p"},
		{toUser(&btf.Pointer{Target: &btf.Pointer{Target: char}}), "const char __user *__user *p"},
		{&btf.Pointer{Target: char}, "char *p"},
		{char, "char p"},
	} {
		if got := btf.Declare(toConst(tt.typ), "p"); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}
