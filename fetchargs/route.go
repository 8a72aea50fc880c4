package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A route leads to the value of an expression: start with base and load the pointers of
// hops. The value is in memory, off bytes from the last pointer, or if mem is false, it
// is that pointer plus off.
//
// Every expression of the language becomes a route, and a route is printed as a fetcharg
// by nesting.
type route struct {
	typ btf.Type // nil if not known: 64 bits from a register
	// The base of a variable is its memory (@SYMBOL). Without mem and hops, the route is
	// the variable's address: that of symbol plus off.
	base   dynevent.Base
	symbol *SymbolPlace

	// inReg is set if a struct is in the register base, with its bytes from 8 on in
	// base2. off counts from the start of the struct.
	inReg bool
	base2 dynevent.Base

	ret bool // the value is known only at the return

	hops   []dynevent.Hop // the pointers loaded on the way
	labels []label        // the pointers followed, in order
	mem    bool
	off    int64  // bytes
	origin string // the pointer from which off is counted, in the user's words

	bitOff, bitSize uint32   // position in bits from off, and width; bitSize is 0 if it is not a bit field
	user            bool     // the pointer is marked __user
	text            bool     // a member that holds text, whatever its type
	set             string   // the constants that the value may have, or ""
	name            string   // the last parameter, member or variable on the way, or ""
	wide            btf.Type // the type to which the number is widened; nil if it is not
	boot            bool     // a member that holds a time of CLOCK_BOOTTIME

	use *value.Usage // when the call uses the parameter that the route begins with; nil if it always does
}

// A label is a pointer that is followed on the way.
type label struct {
	text   string   // as in the spec; "" for a pointer that is always valid
	target btf.Type // what it points to, nil if not known
	start  int64    // bytes from the pointer to the start of target
	kernel bool     // it points into kernel memory, whatever the type
}

// inKernel reports whether l can only be a kernel address.
func (l label) inKernel() bool { return l.kernel || kernelOnly(l.target, 0) }

// inKernel reports whether the value can only be in the memory of the kernel.
func (p route) inKernel() bool {
	if n := len(p.labels); n > 0 {
		return p.labels[n-1].inKernel()
	}
	return p.ofVariable()
}

// ofVariable reports whether the base is the memory of a variable.
func (p route) ofVariable() bool {
	return p.base.Kind == dynevent.Memory || p.base.Kind == dynevent.PerCPU
}

// load returns a route whose value is the pointer from which later hops start. label is
// what that pointer is called. Offsets are counted from it, unless it is itself an offset
// from another (container_of).
func (p route) load(label string) route {
	if p.mem || p.origin == "" {
		p.origin = label
	}
	if p.mem {
		p.hops = append(slices.Clip(p.hops), dynevent.Hop{Offset: p.off, User: p.user})
		p.mem, p.off, p.user = false, 0, false
	}
	return p
}

// follow returns the route to the memory that p, a pointer called text, points to.
func (p route) follow(text string, typ btf.Type) route {
	if p.isAddress() { // always valid
		p.mem, p.typ = true, typ
		return p
	}
	user := btf.IsUser(p.typ)
	p = p.load(text)
	p.labels = append(slices.Clip(p.labels), label{text: text, target: typ, start: p.off})
	p.mem, p.typ, p.user, p.text, p.set, p.wide, p.boot = true, typ, user, false, "", nil, false
	p.bitOff, p.bitSize = 0, 0
	return p
}

// pointer returns the fetcharg of the value after n hops, without its type. The first hop
// into a variable is part of the base.
func (p route) pointer(n int) dynevent.Arg {
	if p.ofVariable() && n > 0 {
		return dynevent.Arg{Base: p.base.Plus(p.hops[0].Offset), Hops: slices.Clip(p.hops[1:n])}
	}
	return dynevent.Arg{Base: p.base, Hops: slices.Clip(p.hops[:n])}
}

// fetcharg returns the fetcharg of the value, without its type.
func (p route) fetcharg() dynevent.Arg {
	p = p.load("") // what it is called does not matter
	return p.pointer(len(p.hops))
}

// at moves by n bytes within the object.
func (p route) at(n int64, typ btf.Type) route {
	p.off += n
	p.typ, p.text, p.set, p.wide, p.boot = typ, false, "", nil, false
	return p
}

// member goes into a struct or union by value.
func (p route) member(m btf.Place) route {
	p = p.at(int64(m.Offset), m.Type)
	if m.BitSize > 0 {
		p.off -= int64(m.Offset)
		p.bitOff, p.bitSize = m.BitOffset, m.BitSize
	}
	return p
}
