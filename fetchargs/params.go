package fetchargs

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
)

// locateParams says where each of f's parameters is when f is entered, by
// the rules of the machine's C calling convention. A parameter that cannot be
// known has an error in its place; if the rules cannot tell how many
// registers it used, so have all that follow it.
//
// The kernel's own $argN counts every parameter as one word, which is wrong
// behind a struct or an __int128 (Documentation/trace/kprobetrace.rst, note 1).
//
// See the System V ABI for AMD64, section 3.2.3, and AAPCS64, section 6.8.
func (r *resolver) locateParams(f *btf.Func) ([]place, []error) {
	a := convention{arch: r.target.Arch}
	if size, _ := btf.Size(f.Return); isStruct(f.Return) && size > 16 && !a.arch.BigByPointer {
		a.reg = 1 // the address of the result comes first
	}
	places := make([]place, len(f.Params))
	errs := make([]error, len(f.Params))
	var lost error
	for i, param := range f.Params {
		if lost != nil {
			errs[i] = lost
			continue
		}
		places[i], errs[i] = a.next(param.Type, r.register)
		if errors.Is(errs[i], errUnknownSlot) {
			lost = fmt.Errorf("it comes after %s, and %w", param.Name, errs[i])
		}
	}
	switch {
	case lost != nil:
		r.argWords = -1
	case a.stack > 0:
		r.argWords = len(a.arch.Regs) + a.stack
	default:
		r.argWords = a.reg
	}
	return places, errs
}

var errUnknownSlot = errors.New("where such a value is passed is not known")

// An abi counts the registers and stack words that parameters take.
type convention struct {
	arch  *abi.Arch
	reg   int // next free register
	stack int // next free stack word
}

// next takes the place of a parameter of type t.
func (a *convention) next(t btf.Type, register func(int) Base) (place, error) {
	size, known := btf.Size(t)
	p := place{typ: t}
	switch s := btf.Strip(t).(type) {
	case *btf.Float:
		return p, fmt.Errorf("a floating-point parameter is in no register that kprobes can fetch")
	case *btf.Struct, *btf.Union:
		if !known || isOdd(s, 0) {
			return p, fmt.Errorf("%s: %w", btf.Name(t), errUnknownSlot)
		}
		return a.aggregate(p, size, register)
	}
	if !known || size > 16 {
		return p, fmt.Errorf("%s: %w", btf.Name(t), errUnknownSlot)
	}
	if size == 16 {
		if a.arch.EvenInt128 {
			a.reg += a.reg & 1
		}
		return a.pair(p, register)
	}
	if a.reg < len(a.arch.Regs) {
		p.base = register(a.reg)
		a.reg++
		return p, nil
	}
	return a.onStack(p, 1)
}

// aggregate takes the place of a struct or union of size bytes.
func (a *convention) aggregate(p place, size int, register func(int) Base) (place, error) {
	switch {
	case size == 0:
		return p, fmt.Errorf("%s is empty", btf.Name(p.typ))
	case size > 16 && a.arch.BigByPointer:
		ptr, err := a.next(&btf.Pointer{Target: p.typ}, register)
		if err != nil {
			return ptr, err
		}
		p = ptr.follow("&"+btf.Name(p.typ), p.typ)
		p.labels[len(p.labels)-1].kernel = true
		return p, nil
	case size > 16, a.arch.PackedOnStack && misaligned(p.typ, 0, 0):
		words := (size + 7) / 8
		p.base, p.mem, p.off = Base{Kind: StackPointer}, true, int64(8*(a.arch.FirstStack+a.stack))
		p.labels = []label{{}}
		a.stack += words
		return p, nil
	case size > 8:
		return a.pair(p, register)
	}
	if a.reg < len(a.arch.Regs) {
		p.base, p.inReg = register(a.reg), true
		a.reg++
		return p, nil
	}
	return a.onStack(p, 1)
}

// pair takes two registers for a value of 9 to 16 bytes. Such a value cannot
// be fetched in one piece, but those behind it must be counted right.
func (a *convention) pair(p place, register func(int) Base) (place, error) {
	if a.reg+2 > len(a.arch.Regs) {
		if a.arch.BigByPointer { // AAPCS64 C.11, C.13: no later one may use them
			a.reg = len(a.arch.Regs)
		}
		if !isStruct(p.typ) {
			a.stack += a.stack & 1
		}
		return a.onStack(p, 2)
	}
	p.base, p.base2, p.inReg = register(a.reg), register(a.reg+1), true
	a.reg += 2
	if isStruct(p.typ) {
		return p, nil
	}
	return p, errors.New("a 128-bit value does not fit a fetcharg")
}

// onStack takes the next stack words.
func (a *convention) onStack(p place, words int) (place, error) {
	if a.arch.FirstStack < 0 {
		return p, errors.New("it is on the stack, which cannot be fetched on this architecture")
	}
	n := a.arch.FirstStack + a.stack
	a.stack += words
	if words > 1 || isStruct(p.typ) {
		p.base, p.mem, p.off, p.labels = Base{Kind: StackPointer}, true, int64(8*n), []label{{}}
		return p, nil
	}
	p.base = Base{Kind: StackN, N: int64(n)}
	return p, nil
}

// misaligned tells whether a struct has a member, no bit field, that does not lie
// where its type wants to; off is where t itself lies, in bits.
func misaligned(t btf.Type, off uint32, depth int) bool {
	if depth > 16 {
		return false
	}
	var members []btf.MemberOf
	switch t := btf.Strip(t).(type) {
	case *btf.Array:
		return misaligned(t.Type, off, depth+1)
	case *btf.Struct:
		members = t.Members
	case *btf.Union:
		members = t.Members
	default:
		size, ok := btf.Size(t)
		return ok && size > 0 && off%uint32(8*size) != 0
	}
	return slices.ContainsFunc(members, func(m btf.MemberOf) bool {
		return m.BitfieldSize == 0 && misaligned(m.Type, off+uint32(m.Offset), depth+1)
	})
}

// isOdd tells whether a struct holds a float or an __int128, which change
// the registers it is passed in.
func isOdd(t btf.Type, depth int) bool {
	if depth > 16 {
		return true
	}
	var members []btf.Type
	switch t := btf.Strip(t).(type) {
	case *btf.Float:
		return true
	case *btf.Int:
		return t.Size > 8
	case *btf.Array:
		return isOdd(t.Type, depth+1)
	case *btf.Struct:
		for _, m := range t.Members {
			members = append(members, m.Type)
		}
	case *btf.Union:
		for _, m := range t.Members {
			members = append(members, m.Type)
		}
	}
	return slices.ContainsFunc(members, func(t btf.Type) bool { return isOdd(t, depth+1) })
}
