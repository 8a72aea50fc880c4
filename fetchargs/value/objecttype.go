package value

import (
	"encoding/binary"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// isObject reports whether f is shown member by member, if it has members.
func isObject(f *Field) bool {
	switch {
	case f.Type == nil:
		return false
	case f.Encoding == Array:
		elem := f.Type
		if f.Bound != nil { // so many structs
			_, elem = dimensions(f.Type)
		}
		return f.Format == "" && listed(btf.Strip(elem)) != nil
	}
	return f.Encoding == Dumped
}

// newObjectType returns the Type of the memory of an object, from its C type down to the
// pointers in it. If f has a FORMAT for numbers, it applies to the integers in the
// object.
func newObjectType(f *Field, order binary.ByteOrder) Type {
	b := objectBuilder{order: order, macros: f.Macros, hz: f.HZ, known: make(map[btf.Type][]Member), left: maxMembers}
	format := FormatNamed(f.Format)
	if format != nil && format.Shape == RawMemory {
		return Type{Form: Memory, Size: f.Whole, Big: IsBig(order)}
	}
	if format != nil && format.Shape == AnyNumber {
		b.format = format.Name
	}
	return b.of(f.Type, f.Name, f.Set, 0)
}

const (
	maxMembers = 1 << 16 // of an object, more than any object of the kernel has
	maxDepth   = 64      // of structs in structs
)

// An objectBuilder makes Types from C types.
type objectBuilder struct {
	order  binary.ByteOrder
	macros *constants.Table
	hz     int
	format string
	known  map[btf.Type][]Member // members of structs and unions; nil while they are being made
	left   int                   // members that may still be made; a limit, because BTF may be damaged
}

// of returns the Type of a value of C type t with the given name. set is the set of
// constants that it is known to hold, or "".
func (b *objectBuilder) of(t btf.Type, name, set string, depth int) Type {
	dims, elem := dimensions(t)
	f := Field{Name: name, Type: t, Encoding: Integer, Signed: btf.Signed(elem), Set: set, Macros: b.macros, HZ: b.hz}
	if _, ok := btf.Size(t); ok {
		f.Size, _ = btf.Size(elem)
	}
	if dims != nil {
		f.Encoding, f.Count = Array, dims[len(dims)-1]
	}
	typ := b.shown(&f, elem)
	typ.Dims = dims
	if typ.Form == Unknown {
		b.addMembers(&typ, elem, depth)
	}
	return typ
}

// dimensions returns the dimensions of the array t, and the type of its elements.
func dimensions(t btf.Type) (dims []int, elem btf.Type) {
	for range maxTypes {
		a, ok := btf.Strip(t).(*btf.Array)
		if !ok {
			return dims, t
		}
		dims, t = append(dims, int(a.Nelems)), a.Type
	}
	return dims, (*btf.Void)(nil)
}

// shown decides how f is shown; elem is the type of its elements.
func (b *objectBuilder) shown(f *Field, elem btf.Type) Type {
	t := NewType(f, false, b.order)
	switch {
	case b.format != "" && t.isInteger() && (t.Form != Char || f.Encoding != Array):
		f.Format = b.format
		formatted := NewType(f, false, b.order)
		formatted.swap = t.swap
		return formatted
	case t.Form == Address:
		t.Form = Pointer
	case t.Form == Decimal && !t.Signed && t.Size == 8 && t.bits == 0:
		t.Form = Word
	}
	return t
}

// isInteger reports whether a FORMAT for numbers applies to values of t in an object.
func (t *Type) isInteger() bool {
	switch t.Form {
	case Decimal, Octal, Byte, Char, Named, Device, UserDev, ID, Location, Seconds, Jiffies:
		return true
	}
	return false
}

// addMembers adds the members of elem, if it is a struct or union that is known.
func (b *objectBuilder) addMembers(t *Type, elem btf.Type, depth int) {
	c := btf.Strip(elem)
	list := listed(c)
	if list == nil || depth > maxDepth {
		return
	}
	members, known := b.known[c]
	if !known {
		b.known[c] = nil
		members = b.members(nil, c, c, 0, depth)
		b.known[c] = members
	}
	t.Members = members
	t.list = isList(c, members)
}

// listed returns the members that a struct or union declares itself.
func listed(t btf.Type) []btf.MemberOf {
	switch t := t.(type) {
	case *btf.Struct:
		return t.Members
	case *btf.Union:
		return t.Members
	}
	return nil
}

// isList reports whether t is struct list_head.
func isList(t btf.Type, members []Member) bool {
	s, ok := t.(*btf.Struct)
	return ok && s.Name == "list_head" && len(members) == 2 && s.Size == 16
}

// members appends the members of t, which starts base bits into the struct or union outer
// and has no name of its own there.
func (b *objectBuilder) members(dst []Member, outer, t btf.Type, base, depth int) []Member {
	list := listed(t)
	twin := twinOf(t, list)
	for i := range list {
		m := &list[i]
		if b.left--; b.left < 0 || depth > maxDepth {
			return dst
		}
		at := base + int(m.Offset)
		inner := btf.Strip(m.Type)
		switch {
		case i == twin:
		case m.Name == "" && listed(inner) != nil:
			dst = b.members(dst, outer, inner, at, depth+1)
		case m.Name == "":
		case m.BitfieldSize > 0:
			dst = append(dst, b.bitField(m, at, SetOfMember(outer, m.Name)))
		default:
			typ := b.of(m.Type, m.Name, SetOfMember(outer, m.Name), depth+1)
			b.setText(&typ, outer, m.Name)
			if typ.length() > 0 {
				dst = append(dst, Member{Name: m.Name, C: btf.Name(m.Type), Type: typ, Offset: at / 8})
			}
		}
	}
	return dst
}

// setText corrects whether a member of the struct or union t is text, where its type is
// misleading.
func (b *objectBuilder) setText(m *Type, t btf.Type, name string) {
	switch {
	case m.Size != 1 || m.Dims == nil:
	case m.Form == Byte && IsTextMember(t, name):
		m.Form, m.Chars = Char, true
	case m.Chars && byteMembers[t.TypeName()+"."+name]:
		m.Form, m.Chars = Byte, false
	}
}

// bitField returns the member m, which starts at bit at of a struct.
func (b *objectBuilder) bitField(m *btf.MemberOf, at int, set string) Member {
	size, _ := btf.Size(m.Type)
	bits := min(int(m.BitfieldSize), 64)
	f := Field{Name: m.Name, Type: m.Type, Encoding: BitField, Size: min(size, 8), Bits: bits, Signed: btf.Signed(m.Type), Set: set, Macros: b.macros, HZ: b.hz}
	t := b.shown(&f, m.Type)
	t.bits, t.Size = bits, (at%8+bits+7)/8
	return Member{Name: m.Name, C: btf.Name(m.Type), Type: t, Offset: at / 8, Shift: at % 8}
}

// twinOf returns the index of the member of a union t that repeats the other one; -1 if
// there is none. The kernel's struct_group makes two structs of the same members, one of
// them with a name. A member that must not be written to has a second name with "__".
func twinOf(t btf.Type, list []btf.MemberOf) int {
	if _, ok := t.(*btf.Union); !ok || len(list) != 2 || list[1].Name == "" {
		return -1
	}
	first, second := btf.Strip(list[0].Type), btf.Strip(list[1].Type)
	switch {
	case list[0].Name == "" && sameMembers(first, second):
		return 1
	case first == second && list[0].Name == "__"+list[1].Name:
		return 0
	case first == second && list[1].Name == "__"+list[0].Name:
		return 1
	}
	return -1
}

// sameMembers reports whether two structs have members of the same names at the same places.
func sameMembers(t, u btf.Type) bool {
	a, ok := t.(*btf.Struct)
	b, also := u.(*btf.Struct)
	if !ok || !also || a.Size != b.Size || len(a.Members) != len(b.Members) {
		return false
	}
	for i := range a.Members {
		m, n := &a.Members[i], &b.Members[i]
		if m.Name != n.Name || m.Offset != n.Offset || m.BitfieldSize != n.BitfieldSize {
			return false
		}
	}
	return true
}

// length returns how many bytes a value of t takes in an object.
func (t *Type) length() int { return t.Size * elements(t.Dims) }

// elements returns how many elements an array of those dimensions has.
func elements(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}
