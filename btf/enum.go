package btf

import (
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"strconv"
)

// An enumerator is the value of an enum constant.
type enumerator struct {
	value int64
	enum  *Enum
	other *Enum // an enum that has another value for it; nil if there is none
}

func (n *names) addEnumerators(e *Enum) {
	for _, v := range e.Values {
		had, ok := n.enumerators[v.Name]
		switch {
		case !ok:
			n.enumerators[v.Name] = enumerator{value: int64(v.Value), enum: e}
		case had.value != int64(v.Value) && had.other == nil:
			had.other = e
			n.enumerators[v.Name] = had
		}
	}
}

// Enumerator returns the value of an enum constant: of t if t is an enum, or else of any
// enum in vmlinux. Unsigned values of 64 bits wrap.
//
// Searching all enums decodes the whole BTF, once, which takes 130 ms.
//
// Errors are *NotFoundError, errors of reading BTF (ErrNoBTF), and one that names two
// enums in which the constant has different values.
func (k *Kernel) Enumerator(t Type, name string) (int64, error) {
	if e, ok := Strip(t).(*Enum); ok {
		for _, v := range e.Values {
			if v.Name == name {
				return int64(v.Value), nil
			}
		}
		return 0, &NotFoundError{What: "enum constant", Name: name, In: Name(e), Suggestions: Suggest(name, constants(e)), All: valued(e)}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := k.vmlinux()
	if err != nil {
		return 0, err
	}
	all := b.index().enumerators
	c, ok := all[name]
	if !ok {
		return 0, &NotFoundError{What: "enum constant", Name: name, In: b.title(), Suggestions: Suggest(name, maps.Keys(all))}
	}
	if c.other != nil {
		return 0, fmt.Errorf("enum constant %q is not the same in %s and %s: use the number", name, Name(c.enum), Name(c.other))
	}
	return c.value, nil
}

// Constant returns the enums in vmlinux that have a constant of that name: the first one,
// and one in which it has another value, if any.
//
// Errors are *NotFoundError, and errors of reading BTF.
func (k *Kernel) Constant(name string) ([]*Enum, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	c, ok := b.index().enumerators[name]
	switch {
	case !ok:
		return nil, &NotFoundError{What: "enum constant", Name: name, In: b.title(), Suggestions: Suggest(name, maps.Keys(b.index().enumerators))}
	case c.other != nil:
		return []*Enum{c.enum, c.other}, nil
	}
	return []*Enum{c.enum}, nil
}

// EnumWith returns the first enum in vmlinux that has a constant of that name, nil if there
// is none. It is much faster than [Kernel.Constant].
func (k *Kernel) EnumWith(constant string) *Enum {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := k.vmlinux()
	if err != nil {
		return nil
	}
	if b.raw != nil {
		if e, err := b.raw.EnumWith(constant); err == nil {
			return e
		}
	}
	return b.index().enumerators[constant].enum
}

// constants yields the names of an enum's constants.
func constants(e *Enum) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, v := range e.Values {
			if !yield(v.Name) {
				return
			}
		}
	}
}

// valued yields the names and values of an enum's constants.
func valued(e *Enum) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, v := range e.Values {
			if !yield(v.Name, strconv.FormatInt(int64(v.Value), 10)) {
				return
			}
		}
	}
}

// EnumName returns the name of the constant with value v, the first if there are several,
// "" if there is none. It ignores bits of v above the size of the enum, so v may be sign-
// or zero-extended, or have garbage there.
func EnumName(e *Enum, v uint64) string {
	mask := ^uint64(0)
	if e.Size > 0 && e.Size < 8 {
		mask >>= 64 - 8*e.Size
	}
	for _, c := range e.Values {
		if c.Value&mask == v&mask {
			return c.Name
		}
	}
	return ""
}

// EnumBits returns the bits that the constants of an enum name. It reports false if the
// enum is not one of flags: at least three of its constants are single bits, all others
// are made of these and are fewer, and 1 to 4 are not all there, for then it counts.
func EnumBits(e *Enum) (named uint64, ok bool) {
	mask := ^uint64(0)
	if e.Size > 0 && e.Size < 8 {
		mask >>= 64 - 8*e.Size
	}
	for _, c := range e.Values {
		if v := c.Value & mask; bits.OnesCount64(v) == 1 {
			named |= v
		}
	}
	words, three := 0, false
	for _, c := range e.Values {
		v := c.Value & mask
		if v&^named != 0 {
			return 0, false
		}
		if bits.OnesCount64(v) > 1 {
			words++
		}
		three = three || v == 3
	}
	counts := three && named&7 == 7
	flags := bits.OnesCount64(named)
	return named, flags >= 3 && words < flags && !counts
}
