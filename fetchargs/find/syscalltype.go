package find

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// userType returns the type of a parameter. Its pointers point into user memory.
func userType(t *target.Target, name string) btf.Type {
	otherwise := "unsigned long"
	if strings.HasSuffix(name, "*") {
		otherwise = "void *"
	}
	return toUser(t.TypeOf(name, otherwise))
}

// toUser marks a pointer, and the pointers it points to, as pointing into user memory.
func toUser(t btf.Type) btf.Type {
	p, ok := btf.Strip(t).(*btf.Pointer)
	if !ok || btf.IsUser(t) {
		return t
	}
	return &btf.Pointer{Target: &btf.TypeTag{Type: toUser(p.Target), Value: "user"}}
}

// toConst returns a pointer to user memory as one to a constant. A type that is looked up by
// its name has no qualifiers.
func toConst(t btf.Type) btf.Type {
	p, ok := t.(*btf.Pointer)
	if !ok {
		return t
	}
	tag, ok := p.Target.(*btf.TypeTag)
	if !ok {
		return t
	}
	to := toConst(tag.Type)
	if to == tag.Type {
		to = &btf.Const{Type: to}
	}
	return &btf.Pointer{Target: &btf.TypeTag{Type: to, Value: tag.Value}}
}

// narrowed returns the type that a 32-bit program has instead of t. split is set if it
// takes two registers. A pointer to something with another layout becomes void *.
func narrowed(t *target.Target, typ btf.Type) (narrow btf.Type, split bool) {
	switch s := btf.Strip(typ).(type) {
	case *btf.Int:
		switch {
		case s.Size < 8:
			return typ, false
		case !strings.HasPrefix(s.Name, "long long"):
			if btf.Signed(s) {
				return t.TypeOf("int", "int"), false
			}
			return t.TypeOf("unsigned int", "unsigned int"), false
		}
		return typ, true
	case *btf.Pointer:
		if varies(t.Kernel.Complete(s.Target), 0) {
			return toUser(&btf.Pointer{Target: (*btf.Void)(nil)}), false
		}
	}
	return typ, false
}

// varies reports whether t may have another layout in a 32-bit program: it contains a
// long, a pointer, or a type with another alignment.
func varies(t btf.Type, depth int) bool {
	if depth > 16 {
		return true
	}
	of := func(m btf.MemberOf) bool { return varies(m.Type, depth+1) }
	switch t := btf.Strip(t).(type) {
	case *btf.Void:
		return false
	case *btf.Int:
		return t.Size > 4
	case *btf.Enum:
		return t.Size > 4
	case *btf.Array:
		return varies(t.Type, depth+1)
	case *btf.Struct:
		return slices.ContainsFunc(t.Members, of)
	case *btf.Union:
		return slices.ContainsFunc(t.Members, of)
	}
	return true
}
