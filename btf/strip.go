package btf

import "strings"

// maxNesting is the most typedefs, qualifiers, arrays and so on to look through. The
// kernel's own check of BTF allows 32; damaged BTF may have cycles.
const maxNesting = 64

// Strip removes what does not change how a value is stored: typedefs, const, volatile,
// restrict and type tags. A variable becomes its type. The result is void for nil, and
// for types that form a cycle.
func Strip(t Type) Type {
	for range maxNesting {
		inner, ok := unwrap(t)
		if !ok {
			if t == nil {
				break
			}
			return t
		}
		t = inner
	}
	return (*Void)(nil)
}

// unwrap removes one layer; false if there is none.
func unwrap(t Type) (Type, bool) {
	switch t := t.(type) {
	case *Typedef:
		return t.Type, true
	case *Var:
		return t.Type, true
	}
	return unqualify(t)
}

// unqualify removes one qualifier or type tag; false if there is none.
func unqualify(t Type) (Type, bool) {
	switch t := t.(type) {
	case *Const:
		return t.Type, true
	case *Volatile:
		return t.Type, true
	case *Restrict:
		return t.Type, true
	case *TypeTag:
		return t.Type, true
	}
	return t, false
}

// IsUser reports whether t is a pointer into user memory, `char __user *`: its target has
// the type tag "user". Compilers emit these tags since clang 14 and gcc 16; with older
// ones false means nothing.
func IsUser(t Type) bool { return pointsTo(t, "user") }

// IsPerCPU reports whether t is a per-CPU pointer, `int __percpu *`. As for IsUser, false
// means nothing with older compilers.
func IsPerCPU(t Type) bool { return pointsTo(t, "percpu") }

// pointsTo reports whether t is a pointer whose target has a type tag.
func pointsTo(t Type, tag string) bool {
	p, ok := Strip(t).(*Pointer)
	if !ok {
		return false
	}
	t = p.Target
	for range maxNesting {
		if has, ok := t.(*TypeTag); ok && has.Value == tag {
			return true
		}
		if t, ok = unqualify(t); !ok {
			break
		}
	}
	return false
}

// Size returns the size of a value of type t in bytes. It returns false if there is none:
// for void, functions and types that are only declared. A flexible array has size 0.
//
// BTF does not say how wide pointers are; Size assumes 64 bits.
func Size(t Type) (int, bool) {
	const most = 1 << 40 // bytes; more is damaged BTF
	count := uint64(1)
	for range maxNesting {
		t = Strip(t)
		if a, ok := t.(*Array); ok {
			if count *= uint64(a.Nelems); count > most {
				return 0, false
			}
			t = a.Type
			continue
		}
		size, ok := plainSize(t)
		if !ok || count*uint64(size) > most {
			return 0, false
		}
		return int(count * uint64(size)), true
	}
	return 0, false
}

// plainSize returns the size in bytes of a stripped type that is not an array.
func plainSize(t Type) (uint32, bool) {
	switch t := t.(type) {
	case *Int:
		return t.Size, true
	case *Float:
		return t.Size, true
	case *Enum:
		return t.Size, true
	case *Struct:
		return t.Size, true
	case *Union:
		return t.Size, true
	case *Pointer:
		return 8, true
	}
	return 0, false
}

// Signed reports whether values of type t are signed numbers: signed integers, and enums
// with negative constants. For char it depends on the BTF; the kernel is built with
// -funsigned-char since 6.2.
//
// pahole before about 1.22 does not mark "signed char", as in the BTF of 5.10, so there
// the name decides.
func Signed(t Type) bool {
	switch t := Strip(t).(type) {
	case *Int:
		return t.Encoding&IsSigned != 0 || t.Encoding == Unsigned && strings.HasPrefix(t.Name, "signed ")
	case *Enum:
		return t.Signed
	}
	return false
}
