package abi

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
)

// A Param says where a function finds a parameter at its entry: in one or two registers,
// or on the stack.
type Param struct {
	Reg, Regs   int  // first index into Arch.Regs, and the number of registers; 0 if it is on the stack
	Word, Words int  // N of the first $stackN, and the number of words; 0 if it is in registers
	Pointer     bool // the place holds a pointer to the parameter
	Err         error
}

// Params returns the places of f's parameters by the machine's C calling convention, and
// how many registers and words of the stack they take. Registers that are left free
// before parameters on the stack also count.
//
// If the place of a parameter is not known, its Err is set. If it is not even known how
// many registers it takes, Err is also set for all parameters after it, and words is
// -1.
//
// The kernel's own $argN counts every parameter as one word, which is wrong after a
// struct or an __int128 (Documentation/trace/kprobetrace.rst, note 1).
//
// See the System V ABI for AMD64, section 3.2.3, and AAPCS64, section 6.8.
func (a *Arch) Params(f *btf.Func) (params []Param, words int) {
	u := usage{arch: a}
	if size, _ := btf.Size(f.Return); btf.IsStruct(f.Return) && size > 2*a.WordSize && !a.BigByPointer {
		u.reg = 1 // the address of the result comes first
	}
	params = make([]Param, len(f.Params))
	var lost error
	for i, param := range f.Params {
		if lost != nil {
			params[i].Err = lost
			continue
		}
		params[i] = u.next(param.Type)
		if errors.Is(params[i].Err, errUnknownSlot) {
			lost = fmt.Errorf("it comes after %s, and %w", param.Name, params[i].Err)
		}
	}
	switch {
	case lost != nil:
		words = -1
	case u.stack > 0:
		words = len(a.Regs) + u.stack
	default:
		words = u.reg
	}
	return params, words
}

var errUnknownSlot = errors.New("where such a value is passed is not known")

// A usage counts the registers and stack words that parameters take.
type usage struct {
	arch  *Arch
	reg   int // next free register
	stack int // next free stack word
}

// next assigns a place to a parameter of type t.
func (u *usage) next(t btf.Type) Param {
	size, known := btf.Size(t)
	word := u.arch.WordSize
	switch s := btf.Strip(t).(type) {
	case *btf.Float:
		return Param{Err: errors.New("a floating-point parameter is in no register that kprobes can fetch")}
	case *btf.Struct, *btf.Union:
		if !known || isOdd(s, 0) {
			return Param{Err: fmt.Errorf("%s: %w", btf.Name(t), errUnknownSlot)}
		}
		return u.aggregate(t, size)
	}
	switch {
	case !known || size > 2*word:
		return Param{Err: fmt.Errorf("%s: %w", btf.Name(t), errUnknownSlot)}
	case size <= word:
		return u.word()
	}
	if u.arch.EvenInt128 {
		u.reg += u.reg & 1
	}
	return u.pair(true)
}

// word takes one register or stack word.
func (u *usage) word() Param {
	if u.reg == len(u.arch.Regs) {
		return u.onStack(1)
	}
	u.reg++
	return Param{Reg: u.reg - 1, Regs: 1}
}

// aggregate assigns a place to a struct or union of size bytes.
func (u *usage) aggregate(t btf.Type, size int) Param {
	word := u.arch.WordSize
	switch {
	case size == 0:
		return Param{Err: fmt.Errorf("%s is empty", btf.Name(t))}
	case size > 2*word && u.arch.BigByPointer:
		p := u.word()
		p.Pointer = true
		return p
	case size > 2*word, u.arch.PackedOnStack && misaligned(t, 0, 0):
		return u.onStack((size + word - 1) / word)
	case size > word:
		return u.pair(false)
	}
	return u.word()
}

// pair takes two registers for a value of more than one word.
func (u *usage) pair(aligned bool) Param {
	if u.reg+2 > len(u.arch.Regs) {
		if u.arch.BigByPointer { // AAPCS64 C.11, C.13: no later parameter may use them
			u.reg = len(u.arch.Regs)
		}
		if aligned {
			u.stack += u.stack & 1
		}
		return u.onStack(2)
	}
	u.reg += 2
	return Param{Reg: u.reg - 2, Regs: 2}
}

// onStack takes the next stack words.
func (u *usage) onStack(words int) Param {
	u.stack += words
	return Param{Word: u.arch.FirstStack + u.stack - words, Words: words}
}

// misaligned reports whether a struct has a member, other than a bit field, that is not
// aligned for its type. off is the offset of t itself, in bits.
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

// isOdd reports whether a struct contains a float or an __int128, which change the
// registers that it is passed in.
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

// Result returns in how many registers a function returns a value of type t: in one or
// both of [Arch.Results]. It returns an error if kprobes cannot fetch the value from
// registers.
func (a *Arch) Result(t btf.Type) (regs int, err error) {
	size, known := btf.Size(t)
	switch {
	case !known || btf.IsStruct(t) && isOdd(t, 0):
		return 0, fmt.Errorf("%s: %w", btf.Name(t), errUnknownSlot)
	case size > 2*a.WordSize, btf.IsStruct(t) && a.PackedOnStack && misaligned(t, 0, 0):
		return 0, errors.New("it is returned in memory")
	case size > a.WordSize:
		return 2, nil
	}
	return 1, nil
}
