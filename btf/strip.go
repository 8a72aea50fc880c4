package btf

import "strings"

// maxNesting is the most typedefs, qualifiers, arrays and so on to look through. The
// kernel's own check of BTF allows 32; damaged BTF may have cycles.
const maxNesting = 64

// Strip removes what does not change how a value is stored: typedefs, const, volatile,
// restrict and type tags. A variable becomes its type. The result is void for nil, and
// for types that form a cycle.
//
//go:noinline
func Strip(t Type) Type {
	for range maxNesting {
		switch u := t.(type) {
		case nil:
			return (*Void)(nil)
		case *Typedef:
			t = u.Type
		case *Var:
			t = u.Type
		default:
			var qualified bool
			if t, qualified = unqualify(t); !qualified {
				return t
			}
		}
	}
	return (*Void)(nil)
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
	size := uint64(1)
	for range maxNesting {
		of, isArray := uint32(0), false
		switch u := Strip(t).(type) {
		case *Array:
			of, isArray, t = u.Nelems, true, u.Type
		case *Int:
			of = u.Size
		case *Float:
			of = u.Size
		case *Enum:
			of = u.Size
		case *Struct:
			of = u.Size
		case *Union:
			of = u.Size
		case *Pointer:
			of = 8
		default:
			return 0, false
		}
		if size *= uint64(of); size > most {
			return 0, false
		}
		if !isArray {
			return int(size), true
		}
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
