package btf

import "strings"

// maxNesting bounds how many typedefs, qualifiers, arrays, ... are gone
// through: the kernel's own BTF check allows 32, damaged BTF may have circles.
const maxNesting = 64

// Strip removes what does not matter to how a value is stored: typedefs,
// const, volatile, restrict, type tags. A variable becomes its type. Void for
// nil, and for types that lead in a circle.
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

// unwrap removes one layer; false when t is none.
func unwrap(t Type) (Type, bool) {
	switch t := t.(type) {
	case *Typedef:
		return t.Type, true
	case *Var:
		return t.Type, true
	}
	return unqualify(t)
}

// unqualify removes one qualifier or type tag; false when t is none.
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

// IsUser reports whether t is a pointer into user memory, `char __user *`:
// one whose target carries the type tag "user". Compilers write these tags
// since clang 14 and gcc 16; without them false means nothing.
func IsUser(t Type) bool { return pointsTo(t, "user") }

// IsPerCPU reports whether t is a pointer to what each CPU has its own of,
// `int __percpu *`. False means nothing where IsUser's does not.
func IsPerCPU(t Type) bool { return pointsTo(t, "percpu") }

// pointsTo reports whether t is a pointer whose target carries a type tag.
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

// Size returns the size of a value of that type in bytes. False when it has
// none: void, functions, types that are only declared. A flexible array's is 0.
//
// BTF does not tell how wide pointers are; 64 bits are assumed.
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

// plainSize is the size of a stripped type which is no array, in bytes.
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

// Signed reports whether values of that type are signed numbers: signed
// integers, and enums with negative constants. Whether char is, BTF says; the
// kernel builds with -funsigned-char since 6.2.
//
// pahole before 1.22 or so does not say it of "signed char", as in 5.10's BTF:
// there the name does.
func Signed(t Type) bool {
	switch t := Strip(t).(type) {
	case *Int:
		return t.Encoding&IsSigned != 0 || t.Encoding == Unsigned && strings.HasPrefix(t.Name, "signed ")
	case *Enum:
		return t.Signed
	}
	return false
}
