package btf

import (
	"errors"
	"fmt"
	"iter"

	cbtf "github.com/cilium/ebpf/btf"
)

// ErrIncomplete says that the members of a struct or union are not known,
// because the BTF only declares it.
var ErrIncomplete = errors.New("only declared, not defined, in this BTF")

// ErrNoMembers says that a type is neither struct nor union.
var ErrNoMembers = errors.New("neither struct nor union")

// Place is where in a struct or union a member is, and its type.
type Place struct {
	Type   Type
	Offset uint32 // bytes from the start; of a bit field's first bit, rounded down

	// BitOffset counts the bits from the start. BitSize is the width of a bit
	// field in bits, 0 for members that are none.
	//
	// On big-endian machines bits are counted from the most significant one.
	BitOffset, BitSize uint32
}

// Member finds a member of a struct or union, through typedefs and qualifiers
// of t and through anonymous members.
//
// Errors are *NotFoundError, or wrap ErrIncomplete or ErrNoMembers.
func Member(t Type, name string) (Place, error) {
	outer := Strip(t)
	switch outer.(type) {
	case *Fwd:
		return Place{}, fmt.Errorf("%s is %w", Name(outer), ErrIncomplete)
	case *Struct, *Union:
	default:
		return Place{}, fmt.Errorf("%s is %w", Name(t), ErrNoMembers)
	}
	if name != "" {
		for m, place := range walk(outer) {
			if m.Name == name {
				return place, nil
			}
		}
	}
	return Place{}, &NotFoundError{What: "member", Name: name, In: Name(t), Near: near(name, distance, within(outer)), All: declared(outer)}
}

// Members returns the names of a struct's or union's members in order, with
// those of anonymous members in their place. Nil for other types.
func Members(t Type) []string {
	var names []string
	for m := range walk(Strip(t)) {
		if m.Name != "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// declared yields the names of a stripped struct's or union's members, and their types.
func declared(t Type) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for m := range walk(t) {
			if m.Name != "" && !yield(m.Name, Name(m.Type)) {
				return
			}
		}
	}
}

// within yields the members of a stripped struct or union and of the structs in it,
// "f_path.dentry", with their last names: sources often have a macro for those,
// as sk_state for __sk_common.skc_state.
func within(t Type) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for m, place := range walk(t) {
			if m.Name == "" {
				continue
			}
			if !yield(m.Name, m.Name) {
				return
			}
			for _, inner := range Members(place.Type) {
				if !yield(m.Name+"."+inner, inner) {
					return
				}
			}
		}
	}
}

// maxMembers bounds how many members a struct may have, with those of anonymous
// members: more than any of the kernel has. Damaged BTF may have a struct in
// itself.
const maxMembers = 1 << 16

// walk yields the members of a stripped struct or union with their places,
// those of anonymous members after these.
func walk(t Type) iter.Seq2[*cbtf.Member, Place] {
	return func(yield func(*cbtf.Member, Place) bool) {
		left := maxMembers
		var into func(t Type, bits uint32, depth int) bool
		into = func(t Type, bits uint32, depth int) bool {
			list := members(t)
			for i := range list {
				m := &list[i]
				if left--; left < 0 {
					return false
				}
				at := bits + uint32(m.Offset)
				if !yield(m, Place{m.Type, at / 8, at, uint32(m.BitfieldSize)}) {
					return false
				}
				if m.Name == "" && depth < maxNesting && !into(Strip(m.Type), at, depth+1) {
					return false
				}
			}
			return true
		}
		into(t, 0, 0)
	}
}

// members returns what a struct or union lists itself, nil for other types.
func members(t Type) []cbtf.Member {
	switch t := t.(type) {
	case *Struct:
		return t.Members
	case *Union:
		return t.Members
	}
	return nil
}
