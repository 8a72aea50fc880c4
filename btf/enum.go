package btf

import (
	"fmt"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"strconv"
)

// Enumerator returns the value of an enum constant: of t if t is an enum, or else of any
// enum in vmlinux. Unsigned values of 64 bits wrap.
//
// Errors are those of [Kernel.Constant], and one that names two enums in which the constant
// has different values. If t is an enum, *NotFoundError has suggestions.
func (k *Kernel) Enumerator(t Type, name string) (int64, error) {
	if e, ok := Strip(t).(*Enum); ok {
		if !has(e, name) {
			return 0, &NotFoundError{What: "enum constant", Name: name, In: Name(e), Suggestions: Suggest(name, constants(e)), All: valued(e)}
		}
		return constant(e, name), nil
	}
	enums, err := k.Constant(name)
	if err != nil {
		return 0, err
	}
	if len(enums) > 1 {
		return 0, fmt.Errorf("enum constant %q is not the same in %s and %s: use the number", name, Name(enums[0]), Name(enums[1]))
	}
	return constant(enums[0], name), nil
}

// Constant returns the enums in vmlinux that have a constant of that name: the first one,
// and one in which it has another value, if any.
//
// Errors are *NotFoundError, without suggestions, and errors of reading BTF (ErrNoBTF).
func (k *Kernel) Constant(name string) ([]*Enum, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := k.vmlinux()
	if err != nil {
		return nil, err
	}
	enums := b.enumsWith(name)
	if len(enums) == 0 {
		return nil, &NotFoundError{What: "enum constant", Name: name, In: b.title()}
	}
	for _, e := range enums[1:] {
		if constant(e, name) != constant(enums[0], name) {
			return []*Enum{enums[0], e}, nil
		}
	}
	return enums[:1], nil
}

// SimilarConstants returns names of enum constants in vmlinux that may be meant by name, at
// most three.
func (k *Kernel) SimilarConstants(name string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, err := k.vmlinux()
	if err != nil {
		return nil
	}
	if b.raw != nil {
		return Suggest(name, b.raw.Constants)
	}
	return Suggest(name, maps.Keys(b.index().enums))
}

// enumsWith returns the enums that have a constant of that name, in the order of the BTF.
func (b *blob) enumsWith(constant string) []*Enum {
	if b.raw != nil {
		if enums, err := b.raw.EnumsWith(constant); err == nil {
			return enums
		}
	}
	return b.index().enums[constant]
}

func has(e *Enum, name string) bool {
	return slices.ContainsFunc(e.Values, func(v EnumValue) bool { return v.Name == name })
}

// constant returns the value of a constant that e has.
func constant(e *Enum, name string) int64 {
	i := slices.IndexFunc(e.Values, func(v EnumValue) bool { return v.Name == name })
	return int64(e.Values[i].Value)
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
