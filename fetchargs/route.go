package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
)

// A route leads to an expression's value: start with base, follow hops,
// and there is a pointer; the value is what lies off bytes behind it, or the
// pointer itself (plus off) if mem is false.
//
// It is the one form to which every expression of the language comes down, so
// printing it as a fetcharg is a matter of nesting.
type route struct {
	typ btf.Type // nil when unknown: 64 bits from a register
	// Of a variable, whose memory is the base (@SYMBOL), a route without mem and
	// hops is the address: what symbol says, plus off.
	base   Base
	symbol *SymbolPlace

	// inReg: a struct lies in the register base, and its bytes from 8 on in
	// base2; off counts from its start.
	inReg bool
	base2 Base

	ret bool // known only when the function returns

	hops   []Hop   // the pointers loaded on the way
	labels []label // the pointers followed, in order
	mem    bool
	off    int64  // bytes
	origin string // the pointer that off is counted from, in the user's words

	bitOff, bitSize uint32   // bit field: bits from off; bitSize 0 if it is none
	user            bool     // the pointer is marked __user
	text            bool     // a member that holds text, whatever its type
	set             string   // of constants that the value is known to hold
	wide            btf.Type // what the number is widened to; nil if it is not
	boot            bool     // a member that is a time of CLOCK_BOOTTIME
}

// A label is a pointer that is followed on the way.
type label struct {
	text   string   // as in the spec; "" for a pointer that cannot be wrong
	target btf.Type // what it points to, nil when unknown
	start  int64    // bytes from the pointer to the start of target
	kernel bool     // it is the kernel's memory, whatever the type
}

// inKernel reports whether a user address of l cannot be right.
func (l label) inKernel() bool { return l.kernel || kernelOnly(l.target, 0) }

// ofVariable reports whether the base is the memory of a variable.
func (p route) ofVariable() bool { return p.base.Kind == Memory }

// load makes a route whose value is the pointer: what later hops start from.
func (p route) load() route {
	if p.mem {
		p.hops = append(slices.Clip(p.hops), Hop{p.off, p.user})
		p.mem, p.off, p.user = false, 0, false
	}
	return p
}

// from notes that offsets are counted from the pointer label, unless that is
// itself so many bytes from another (container_of).
func (p route) from(label string) route {
	if p.mem || p.origin == "" {
		p.origin = label
	}
	return p
}

// follow goes on to what a pointer called text points to.
func (p route) follow(text string, typ btf.Type) route {
	if p.isAddress() { // which cannot be wrong
		p.mem, p.typ = true, typ
		return p
	}
	user := btf.IsUser(p.typ)
	p = p.from(text).load()
	p.labels = append(slices.Clip(p.labels), label{text: text, target: typ, start: p.off})
	p.mem, p.typ, p.user, p.text, p.set, p.wide, p.boot = true, typ, user, false, "", nil, false
	p.bitOff, p.bitSize = 0, 0
	return p
}

// pointer is the fetcharg of the value after n hops, without its type. The first
// hop into a variable is its base.
func (p route) pointer(n int) Arg {
	if p.ofVariable() && n > 0 {
		return Arg{Base: p.base.plus(p.hops[0].Offset), Hops: slices.Clip(p.hops[1:n])}
	}
	return Arg{Base: p.base, Hops: slices.Clip(p.hops[:n])}
}

// fetcharg is what fetches the value, without its type.
func (p route) fetcharg() Arg {
	p = p.load()
	return p.pointer(len(p.hops))
}

// plus is what lies n bytes behind a variable's start.
func (b Base) plus(n int64) Base {
	b.N += n
	return b
}

// at moves by n bytes within the object.
func (p route) at(n int64, typ btf.Type) route {
	p.off += n
	p.typ, p.text, p.set, p.wide, p.boot = typ, false, "", nil, false
	return p
}

// member goes into a struct or union by value. t is its stripped type.
func (p route) member(m btf.Place) route {
	p = p.at(int64(m.Offset), m.Type)
	if m.BitSize > 0 {
		p.off -= int64(m.Offset)
		p.bitOff, p.bitSize = m.BitOffset, m.BitSize
	}
	return p
}

// isStruct reports whether t, stripped, is a struct or union.
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

// isText reports whether t is plain char: text when pointed to or in an array.
func isText(t btf.Type) bool {
	i, ok := btf.Strip(t).(*btf.Int)
	return ok && i.Name == "char" && i.Size == 1
}
