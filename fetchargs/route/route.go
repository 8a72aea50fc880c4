// Package route leads from an expression of a spec to where its value is: it binds names to
// parameters, members and types, and notes which pointers must be followed.
package route

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Route leads to the value of an expression: start with Base and load the pointers of
// Hops. The value is in memory, Off bytes from the last pointer, or if Mem is false, it
// is that pointer plus Off.
//
// Every expression of the language becomes a route, and a route is printed as a fetcharg
// by nesting.
type Route struct {
	Type btf.Type // nil if not known: 64 bits from a register
	// The base of a variable is its memory (@SYMBOL). Without Mem and Hops, the route is
	// the variable's address: that of Symbol plus Off.
	Base   dynevent.Base
	Symbol *target.SymbolPlace

	// InReg is set if a struct is in the register Base, with its bytes from 8 on in
	// Base2. Off counts from the start of the struct.
	InReg bool
	Base2 dynevent.Base

	Return bool // the value is known only at the return

	Hops   []dynevent.Hop // the pointers loaded on the way
	Labels []Label        // the pointers followed, in order
	Mem    bool
	Off    int64  // bytes
	Origin string // the pointer from which Off is counted, in the user's words

	BitOff, BitSize uint32   // position in bits from Off, and width; BitSize is 0 if it is not a bit field
	User            bool     // the pointer is marked __user
	Text            bool     // a member that holds text, whatever its type
	Set             string   // the constants that the value may have, or ""
	Name            string   // the last parameter, member or variable on the way, or ""
	Wide            btf.Type // the type to which the number is widened; nil if it is not
	Boot            bool     // a member that holds a time of CLOCK_BOOTTIME

	Remarks []Remark // notes of the plan on the way

	Use *value.Usage // when the call uses the parameter that the route begins with; nil if it always does
}

// A Label is a pointer that is followed on the way.
type Label struct {
	Text   string   // as in the spec; "" for a pointer that is always valid
	Target btf.Type // what it points to, nil if not known
	Start  int64    // bytes from the pointer to the start of Target
	kernel bool     // it points into kernel memory, whatever the type
}

// InKernel reports whether l can only be a kernel address.
func (l Label) InKernel() bool { return l.kernel || kernelOnly(l.Target) }

// InKernel reports whether the value can only be in the memory of the kernel.
func (p Route) InKernel() bool {
	if n := len(p.Labels); n > 0 {
		return p.Labels[n-1].InKernel()
	}
	return p.OfVariable()
}

// OfVariable reports whether the base is the memory of a variable.
func (p Route) OfVariable() bool {
	return p.Base.Kind == dynevent.Memory || p.Base.Kind == dynevent.PerCPU
}

// load returns a route whose value is the pointer from which later hops start. label is
// what that pointer is called. Offsets are counted from it, unless it is itself an offset
// from another (container_of).
func (p Route) load(label string) Route {
	if p.Mem || p.Origin == "" {
		p.Origin = label
	}
	if p.Mem {
		p.Hops = append(slices.Clip(p.Hops), dynevent.Hop{Offset: p.Off, User: p.User})
		p.Mem, p.Off, p.User = false, 0, false
	}
	return p
}

// Follow returns the route to the memory that p, a pointer called text, points to.
func (p Route) Follow(text string, typ btf.Type) Route {
	if p.IsAddress() { // always valid
		p.Mem, p.Type = true, typ
		return p
	}
	user := btf.IsUser(p.Type)
	p = p.load(text)
	p.Labels = append(slices.Clip(p.Labels), Label{Text: text, Target: typ, Start: p.Off})
	p.Mem, p.Type, p.User, p.Text, p.Set, p.Wide, p.Boot = true, typ, user, false, "", nil, false
	p.BitOff, p.BitSize = 0, 0
	return p
}

// Pointer returns the fetcharg of the value after n hops, without its type. The first hop
// into a variable is part of the base.
//
//go:noinline
func (p Route) Pointer(n int) dynevent.Arg {
	if p.OfVariable() && n > 0 {
		return dynevent.Arg{Base: p.Base.Plus(p.Hops[0].Offset), Hops: slices.Clip(p.Hops[1:n])}
	}
	return dynevent.Arg{Base: p.Base, Hops: slices.Clip(p.Hops[:n])}
}

// Arg returns the fetcharg of the value, without its type.
func (p Route) Arg() dynevent.Arg {
	p = p.load("") // what it is called does not matter
	return p.Pointer(len(p.Hops))
}

// At moves by n bytes within the object.
func (p Route) At(n int64, typ btf.Type) Route {
	p.Off += n
	p.Type, p.Text, p.Set, p.Wide, p.Boot = typ, false, "", nil, false
	return p
}

// Member goes into a struct or union by value.
func (p Route) Member(m btf.Place) Route {
	p = p.At(int64(m.Offset), m.Type)
	if m.BitSize > 0 {
		p.Off -= int64(m.Offset)
		p.BitOff, p.BitSize = m.BitOffset, m.BitSize
	}
	return p
}

// IsPerCPU reports whether p is a pointer to a per-CPU variable.
func (p Route) IsPerCPU() bool { return value.IsPerCPU(p.Set) || btf.IsPerCPU(p.Type) }

// Marked reports whether the memory at the i-th pointer is read as user memory.
func (p Route) Marked(i int) bool {
	n := i
	if p.OfVariable() {
		n++
	}
	if n < len(p.Hops) {
		return p.Hops[n].User
	}
	return p.User
}
