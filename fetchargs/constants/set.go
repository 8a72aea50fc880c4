package constants

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Set has the names of one kind of value: flags, which may have fields of several bits
// among them, or numbers.
type Set struct {
	Name   string // as in [Table.Set]
	fields []field
	flags  []named
	zero   string // name of 0, or ""
	base   int    // base of what has no name: 16, 8 or 10, or ioc

	By    string // another parameter of the function that decides for one of Cases; else ""
	Cases []Case
}

// A Case is a set that is right where another parameter has a value.
type Case struct {
	Value uint64
	*Set
}

// ioc is the base of ioctl commands: those without a name are shown by their parts.
const ioc = -1

// A field is a group of bits that hold one number, whose values have names.
type field struct {
	mask  uint64
	names []named
}

type named struct {
	value uint64
	name  string
}

// Set returns the set of that name, nil if there is none.
func (t *Table) Set(name string) *Set {
	i := slices.IndexFunc(rows, func(r row) bool { return r.name == name })
	if t == nil || i < 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sets[name]
	if !ok {
		s = t.newSet(&rows[i])
		t.sets[name] = s
	}
	return s
}

// SetNames returns the names of all sets.
func SetNames() []string {
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.name
	}
	return names
}

func (t *Table) newSet(r *row) *Set {
	s := &Set{Name: r.name, flags: t.values(r.flags), zero: r.zero, base: r.base, By: r.by}
	for _, c := range r.cases {
		x, _ := t.Value(c.macro)
		i := slices.IndexFunc(rows, func(r row) bool { return r.name == c.set })
		s.Cases = append(s.Cases, Case{uint64(x), t.newSet(&rows[i])})
	}
	own := t.own(r)
	if len(r.fields) == 0 {
		s.flags, own = prefer(own, s.flags), nil
	}
	s.flags = slices.DeleteFunc(s.flags, func(f named) bool { return f.value == 0 })
	if s.base == 0 {
		s.base = 16
	}
	for _, f := range r.fields {
		mask, ok := t.Value(f.mask)
		if !ok {
			n, _ := strconv.ParseUint(f.mask, 0, 64)
			mask = int64(n)
		}
		s.fields, own = append(s.fields, field{uint64(mask), prefer(own, t.values(f.names))}), nil
	}
	return s
}

// values returns the macros in a list of names and globs. If several have the same value,
// the first is used.
func (t *Table) values(list string) (all []named) {
	for glob := range strings.FieldsSeq(list) {
		for _, name := range t.matching(glob) {
			n, ok := t.Value(name)
			if ok && !slices.ContainsFunc(all, func(had named) bool { return had.value == uint64(n) }) {
				all = append(all, named{uint64(n), name})
			}
		}
	}
	return all
}

// Names yields the names that values may have, with their bits. A nil Set has none.
func (s *Set) Names(yield func(name, bits string) bool) {
	if s == nil {
		return
	}
	lists := [][]named{s.flags}
	for _, f := range s.fields {
		lists = append(lists, f.names)
	}
	for _, n := range slices.Concat(lists...) {
		if !yield(n.name, fmt.Sprintf("%#x", n.value)) {
			return
		}
	}
}

// IsNumber reports whether the values are signed numbers and not flags.
func (s *Set) IsNumber() bool { return s.base == 10 }

// Append appends the names of x to dst: "O_WRONLY|O_CREAT|0x40". It does not allocate
// beyond dst.
func (s *Set) Append(dst []byte, x uint64) []byte {
	start := len(dst)
	for i := range s.fields {
		f := &s.fields[i]
		if name := f.find(x & f.mask); name != "" {
			dst, x = appendName(dst, start, name), x&^f.mask
		}
	}
	for i := range s.flags {
		if f := &s.flags[i]; x&f.value == f.value {
			dst, x = appendName(dst, start, f.name), x&^f.value
		}
	}
	switch {
	case x == 0 && len(dst) > start:
		return dst
	case x == 0 && s.zero != "":
		return append(dst, s.zero...)
	}
	if len(dst) > start {
		dst = append(dst, '|')
	}
	switch {
	case s.base == ioc:
		return appendIOC(dst, x)
	case x == 0:
		return append(dst, '0')
	case s.base == 10:
		return strconv.AppendInt(dst, int64(x), 10)
	case s.base == 8:
		dst = append(dst, '0')
	case s.base == 16:
		dst = append(dst, "0x"...)
	}
	return strconv.AppendUint(dst, x, s.base)
}

// iocDirs are the directions of an ioctl command (include/uapi/asm-generic/ioctl.h).
var iocDirs = [...]string{"_IOC_NONE", "_IOC_WRITE", "_IOC_READ", "_IOC_READ|_IOC_WRITE"}

// appendIOC appends the parts of an ioctl command: direction, type, number and size of the
// argument.
func appendIOC(dst []byte, x uint64) []byte {
	if x>>32 != 0 {
		return strconv.AppendUint(append(dst, "0x"...), x, 16)
	}
	dst = append(append(dst, "_IOC("...), iocDirs[x>>30]...)
	for _, part := range [...]uint64{x >> 8 & 0xff, x & 0xff, x >> 16 & 0x3fff} {
		dst = strconv.AppendUint(append(dst, ", 0x"...), part, 16)
	}
	return append(dst, ')')
}

func (f *field) find(x uint64) string {
	for i := range f.names {
		if f.names[i].value == x {
			return f.names[i].name
		}
	}
	return ""
}

// appendName appends a further name to the word that begins at start.
func appendName(dst []byte, start int, name string) []byte {
	if len(dst) > start {
		dst = append(dst, '|')
	}
	return append(dst, name...)
}
