package fetchargs

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
)

// A place is where an expression's value is: start with base, follow hops,
// and there is a pointer; the value is what lies off bytes behind it, or the
// pointer itself (plus off) if mem is false.
//
// It is the one form to which every expression of the language comes down, so
// printing it as a fetcharg is a matter of nesting.
type place struct {
	typ  btf.Type // nil when unknown: 64 bits from a register
	base string   // "$arg1", "%di", "$retval", "@init_task"
	// data: base is a variable's memory (@SYMBOL), not a value. Without mem and
	// hops it is the address: what symbol says, plus off.
	data   bool
	symbol *SymbolPlace

	// inReg: a struct lies in the register base, and its bytes from 8 on in
	// base2; off counts from its start.
	inReg bool
	base2 string

	ret bool // known only when the function returns

	hops   []hop   // the pointers loaded on the way
	labels []label // the pointers followed, in order
	mem    bool
	off    int64  // bytes
	origin string // the pointer that off is counted from, in the user's words

	bitOff, bitSize uint32 // bit field: bits from off; bitSize 0 if it is none
	user            bool   // the pointer is marked __user
	text            bool   // a member that holds text, whatever its type
}

// A label is a pointer that is followed on the way to a place.
type label struct {
	text   string   // as in the spec; "" for a pointer that cannot be wrong
	target btf.Type // what it points to, nil when unknown
	start  int64    // bytes from the pointer to the start of target
	kernel bool     // it is the kernel's memory, whatever the type
}

// inKernel tells whether a user address of l cannot be right.
func (l label) inKernel() bool { return l.kernel || kernelOnly(l.target) }

// A hop loads the pointer that lies off bytes behind the one before it.
type hop struct {
	off  int64 // bytes
	user bool  // from user memory
}

// wrap is the fetcharg that loads from where text points to.
func (h hop) wrap(text string) string {
	if h.user {
		sign := "+u"
		if h.off < 0 {
			sign = "-u"
		}
		return fmt.Sprintf("%s%d(%s)", sign, max(h.off, -h.off), text)
	}
	return fmt.Sprintf("%+d(%s)", h.off, text)
}

// load makes a place whose value is the pointer: what later hops start from.
func (p place) load() place {
	if p.mem {
		p.hops = append(slices.Clip(p.hops), hop{p.off, p.user})
		p.mem, p.off, p.user = false, 0, false
	}
	return p
}

// from notes that offsets are counted from the pointer label, unless that is
// itself so many bytes from another (container_of).
func (p place) from(label string) place {
	if p.mem || p.origin == "" {
		p.origin = label
	}
	return p
}

// follow is the place that a pointer called text points to.
func (p place) follow(text string, typ btf.Type) place {
	if p.isAddress() { // which cannot be wrong
		p.mem, p.typ = true, typ
		return p
	}
	user := btf.IsUser(p.typ)
	p = p.from(text).load()
	p.labels = append(slices.Clip(p.labels), label{text: text, target: typ, start: p.off})
	p.mem, p.typ, p.user, p.text = true, typ, user, false
	p.bitOff, p.bitSize = 0, 0
	return p
}

// pointer is the fetcharg of the value after n hops.
func (p place) pointer(n int) string {
	text, first := p.base, 0
	if p.data && n > 0 {
		text, first = symbolPlus(p.base, p.hops[0].off), 1
	}
	for _, h := range p.hops[first:n] {
		text = h.wrap(text)
	}
	return text
}

// fetcharg is the expression that fetches the value, without its type.
func (p place) fetcharg() string {
	switch {
	case !p.mem:
		return p.pointer(len(p.hops))
	case p.data && len(p.hops) == 0:
		return symbolPlus(p.base, p.off)
	}
	return hop{p.off, p.user}.wrap(p.pointer(len(p.hops)))
}

func symbolPlus(base string, off int64) string {
	if off == 0 {
		return base
	}
	return fmt.Sprintf("%s%+d", base, off)
}

// at moves by n bytes within the object.
func (p place) at(n int64, typ btf.Type) place {
	p.off += n
	p.typ, p.text = typ, false
	return p
}

// member goes into a struct or union by value. t is its stripped type.
func (p place) member(m btf.Place) place {
	p = p.at(int64(m.Offset), m.Type)
	if m.BitSize > 0 {
		p.off -= int64(m.Offset)
		p.bitOff, p.bitSize = m.BitOffset, m.BitSize
	}
	return p
}

// isStruct tells whether t, stripped, is a struct or union.
func isStruct(t btf.Type) bool {
	switch btf.Strip(t).(type) {
	case *btf.Struct, *btf.Union:
		return true
	}
	return false
}

// pointee is what t, stripped, points to; nil if t is no pointer.
func pointee(t btf.Type) btf.Type {
	if t == nil {
		return nil
	}
	if p, ok := btf.Strip(t).(*btf.Pointer); ok {
		return p.Target
	}
	return nil
}

// isText tells whether t is plain char: text when pointed to or in an array.
func isText(t btf.Type) bool {
	i, ok := btf.Strip(t).(*btf.Int)
	return ok && i.Name == "char" && i.Size == 1
}
