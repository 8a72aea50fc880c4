package constants

import (
	"math/bits"
	"slices"
	"strings"
)

// A Constant is a constant of an enum.
type Constant struct {
	Name  string `json:"name"`
	Value uint64 `json:"value"`
}

// ForKernel returns t with the enums of a kernel, which know more names than the table and
// decide where both know one. enum returns the constants of the enum that has a constant
// of that name, in order, and nil if there is none.
func (t *Table) ForKernel(enum func(constant string) []Constant) *Table {
	if t == nil {
		return nil
	}
	return &Table{arch: t.arch, names: t.names, list: t.list, enum: enum, sets: map[string]*Set{}}
}

// Enums returns what ForKernel needs to make t again: the enums of its kernel that are
// used, by one of their constants. It returns nil if no kernel is known.
func (t *Table) Enums() map[string][]Constant {
	if t == nil || t.enum == nil {
		return nil
	}
	var enums map[string][]Constant
	for i := range rows {
		if all := t.enumOf(rows[i].enum); all != nil {
			if enums == nil {
				enums = map[string][]Constant{}
			}
			enums[rows[i].enum] = all
		}
	}
	return enums
}

// enumOf returns the enum of the kernel that has a constant.
func (t *Table) enumOf(constant string) []Constant {
	if t.enum == nil || constant == "" {
		return nil
	}
	return t.enum(constant)
}

// own returns the constants of the kernel's enum for r as the set has them. It leaves out
// limits and masks.
func (t *Table) own(r *row) []named {
	var all []named
	from, to, areBits := strings.Cut(r.bits, " ")
	for _, c := range t.enumOf(r.enum) {
		name := c.Name
		if areBits {
			var ok bool
			if name, ok = rename(c.Name, from, to); !ok || c.Value > 63 {
				continue
			}
			c.Value = 1 << c.Value
		}
		if !isName(name) || isLimit(name) || slices.ContainsFunc(all, func(had named) bool { return had.value == c.Value }) {
			continue
		}
		all = append(all, named{c.Value, name})
	}
	return all
}

// rename turns a name of the form from into one of the form to: both have one asterisk.
func rename(name, from, to string) (string, bool) {
	before, after, _ := strings.Cut(from, "*")
	stem, ok := strings.CutPrefix(name, before)
	stem, also := strings.CutSuffix(stem, after)
	return strings.Replace(to, "*", stem, 1), ok && also
}

// isLimit reports whether a constant is not a value of its own: it says how many there are,
// or where the bits of several begin.
func isLimit(name string) bool {
	return strings.Contains(name, "_MAX") || strings.HasSuffix(name, "_MASK") || strings.HasSuffix(name, "_LAST")
}

// bitNamed returns the flag of that name, if the kernel has only the number of its bit.
func (t *Table) bitNamed(name string) (int64, bool) {
	for i := range rows {
		r := &rows[i]
		if _, to, ok := strings.Cut(r.bits, " "); !ok || t.enum == nil || !strings.HasPrefix(name, strings.TrimSuffix(to, "*")) {
			continue
		}
		for _, c := range t.own(r) {
			if c.name == name {
				return int64(c.value), true
			}
		}
	}
	return 0, false
}

// isName reports whether a name is one that C allows: enums also come from files, and
// names are printed as they are.
func isName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}

// prefer puts the kernel's own names before those of the table, and instead of those with
// the same value. Flags of several bits stay first.
func prefer(own, table []named) []named {
	if own == nil {
		return table
	}
	var words, rest []named
	for _, n := range table {
		switch {
		case slices.ContainsFunc(own, func(o named) bool { return o.value == n.value }):
		case bits.OnesCount64(n.value) > 1:
			words = append(words, n)
		default:
			rest = append(rest, n)
		}
	}
	return slices.Concat(words, own, rest)
}
