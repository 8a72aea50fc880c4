package btf

import (
	"errors"
	"fmt"
	"iter"

	cbtf "github.com/cilium/ebpf/btf"
)

// ErrIncomplete says that the members of a struct or union are not known, because the BTF
// only declares it.
var ErrIncomplete = errors.New("only declared, not defined, in this BTF")

// ErrNoMembers says that a type is neither struct nor union.
var ErrNoMembers = errors.New("neither struct nor union")

// A Place is the place of a member in a struct or union, with its type.
type Place struct {
	Type   Type
	Offset uint32 // bytes from the start; for a bit field, of its first bit, rounded down

	// BitOffset is the offset from the start in bits. BitSize is the width of a bit field
	// in bits, 0 for other members.
	//
	// On big-endian machines bits are counted from the most significant one.
	BitOffset, BitSize uint32
}

// Member returns the place of a member of a struct or union. It looks through typedefs
// and qualifiers of t and through anonymous members.
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
	return Place{}, &NotFoundError{What: "member", Name: name, In: Name(t), Suggestions: near(name, distance, within(outer)), All: declared(outer)}
}

// Members returns the names of a struct's or union's members in order, with the members
// of anonymous ones in their place. It returns nil for other types.
func Members(t Type) []string {
	var names []string
	for m := range walk(Strip(t)) {
		if m.Name != "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// declared yields the names and types of the members of a stripped struct or union.
func declared(t Type) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for m := range walk(t) {
			if m.Name != "" && !yield(m.Name, Name(m.Type)) {
				return
			}
		}
	}
}

// within yields the members of a stripped struct or union and of the structs in it, such
// as "f_path.dentry", each with its last name. Sources often have a macro for the last
// name, such as sk_state for __sk_common.skc_state.
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

// maxMembers is the most members that a struct may have, including those of anonymous
// members. No struct of the kernel has as many, but in damaged BTF a struct may contain
// itself.
const maxMembers = 1 << 16

// walk yields the members of a stripped struct or union with their places. The members of
// an anonymous member follow it.
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

// members returns the members that a struct or union declares itself, nil for other
// types.
func members(t Type) []cbtf.Member {
	switch t := t.(type) {
	case *Struct:
		return t.Members
	case *Union:
		return t.Members
	}
	return nil
}
