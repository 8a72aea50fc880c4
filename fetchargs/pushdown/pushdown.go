// Package pushdown writes conditions as filters of the kernel, as far as these can express them.
package pushdown

import (
	"fmt"
	"maps"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/line"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Side is what the filter of a probe can look at.
type Side struct {
	Fn     *find.Function
	Kind   dynevent.Kind
	Fields []value.Field
	Line   *line.Line // gets the fetchargs that only the filter needs
}

// Filter writes t for the kernel; ok is false if a filter cannot express it. exact is
// false if the filter may accept a pointer that cannot be read, or a parameter that the
// call does not use. known are the checks of pointers that already hold where t is decided.
func (s *Side) Filter(t *cond.Test, known map[string]bool) (text string, exact, ok bool) {
	if t.And == nil && t.Or == nil {
		return s.leaf(t, known)
	}
	word := " && "
	if t.Or != nil {
		word = " || "
	}
	exact = true
	var parts []string
	for _, kid := range append(t.And, t.Or...) {
		given := known
		if t.Or != nil {
			given = maps.Clone(known)
		}
		part, sure, ok := s.Filter(kid, given)
		if !ok {
			return "", false, false
		}
		if kid.Or != nil || t.Or != nil && strings.Contains(part, " && ") {
			part = "(" + part + ")"
		}
		parts, exact = append(parts, part), exact && sure
	}
	return strings.Join(parts, word), exact, true
}

// leaf is Filter for a single comparison.
func (s *Side) leaf(t *cond.Test, known map[string]bool) (text string, exact, ok bool) {
	f := &s.Fields[t.Left.Index]
	if !isFilterable(t, f) || !s.isFaithful(t, f) {
		return "", false, false
	}
	if text, ok = s.comparison(t, f); !ok {
		return "", false, false
	}
	if t.Negated {
		text = "!(" + text + ")"
	}
	var parts []string
	for _, check := range s.addressChecks(f) {
		if !known[check] {
			known[check] = true
			parts = append(parts, check)
		}
	}
	exact = len(f.PointerChecks) == 0 && f.Use == nil && !unended(t.Value, f, t.Op)
	return strings.Join(append(parts, text), " && "), exact, true
}

// isFilterable reports whether the number or text in the record is what t compares.
func isFilterable(t *cond.Test, f *value.Field) bool {
	if t.Against || f.Add != 0 || f.Split > 0 || f.Unsigned() > 0 {
		return false
	}
	switch f.Encoding {
	case value.Age, value.Who:
		return false
	case value.BitField:
		if f.Signed {
			return false
		}
	}
	order := t.Op == "<" || t.Op == "<=" || t.Op == ">" || t.Op == ">="
	return !order || !f.BigEndian && t.Value.Mask == 0
}

// isFaithful reports whether the kernel lets all events pass that t accepts.
func (s *Side) isFaithful(t *cond.Test, f *value.Field) bool {
	switch {
	case s.Fn.Target.Live && maybeLost(f) && t.AgainstConstant(value.Value{Kind: value.Text}, f) != t.Negated,
		t.Negated && unended(t.Value, f, t.Op):
		return false
	}
	return s.Kind.Defined() || s.compares(&s.Line.Args[f.Arg], t)
}

// comparison writes t without its Negated.
func (s *Side) comparison(t *cond.Test, f *value.Field) (text string, ok bool) {
	name := s.Line.Args[f.Arg].Name
	switch {
	case f.Encoding == value.Array:
		return s.bytes(t, f)
	case t.Value.Mask != 0:
		return masked(t.Value, name, f, t.Op), true
	}
	text, ok = constant(t.Value, f, t.Op, !s.Fn.Target.Live)
	return fmt.Sprintf("%s %s %s", name, t.Op, text), ok
}

// masked writes (name & mask) == num by the only test that filters have: whether
// any of some bits is set.
func masked(c cond.Constant, name string, f *value.Field, op spec.Op) string {
	test := func(bits uint64) string {
		if f.Signed && bits>>63 != 0 { // the filter of a signed field takes an int64
			return fmt.Sprintf("%s & %d", name, int64(bits))
		}
		return fmt.Sprintf("%s & 0x%x", name, bits)
	}
	if c.Num == 0 && op == "!=" {
		return test(c.Mask)
	}
	var parts []string
	for rest := c.Num; rest != 0; rest &= rest - 1 {
		parts = append(parts, test(rest&-rest))
	}
	if clear := c.Mask &^ c.Num; clear != 0 {
		parts = append(parts, "!("+test(clear)+")")
	}
	text := strings.Join(parts, " && ")
	if op == "!=" {
		text = "!(" + text + ")"
	}
	return text
}

// addressChecks writes what the kernel can check of f's pointers: that they are in the
// right range of addresses. Only user space knows whether they are mapped.
func (s *Side) addressChecks(f *value.Field) []string {
	var checks []string
	arch := s.Fn.Target.Arch
	for _, g := range f.PointerChecks {
		name := s.Line.Args[g.Arg].Name
		switch g.Space {
		case value.KernelSpace:
			checks = append(checks, fmt.Sprintf("%s >= 0x%x && %s < 0x%x", name, arch.KernelStart, name, abi.ErrorPointers))
		case value.UserSpace:
			checks = append(checks, fmt.Sprintf("%s != 0 && %s < 0x%x", name, name, arch.UserEnd))
		case value.EitherSpace:
			checks = append(checks, fmt.Sprintf("(%s != 0 && %s < 0x%x || %s >= 0x%x && %s < 0x%x)",
				name, name, arch.UserEnd, name, arch.KernelStart, name, abi.ErrorPointers))
		case value.AnySpace:
			checks = append(checks, fmt.Sprintf("%s != 0 && %s < 0x%x", name, name, abi.ErrorPointers))
		}
	}
	return checks
}

// compares reports whether the kernel can compare a field of such an event, or a part of it, in
// the event's filter as the test does. The filter takes all bytes of a field, also those that its
// type does not have; in one that is wider than its type it can only look at single bits.
func (s *Side) compares(a *dynevent.Arg, t *cond.Test) bool {
	whole := a.Base.Kind == dynevent.Field || a.Base.Kind == dynevent.FieldText && a.Hops[0].Offset == 0
	if !whole || a.Name != a.Base.Name || !s.Fn.Filters(a.Base.Name) {
		return false
	}
	if f := s.Fn.Event.Field(a.Base.Name); a.Base.Kind != dynevent.Field || f == nil || f.Size == a.Type.Size {
		return true
	}
	bits := t.Value.Mask
	if t.Op == "&" {
		bits = t.Value.Num
	}
	return bits != 0 && int64(bits) > 0
}

// maybeLost reports whether f is a string that may be in user memory. Up to about 6.12
// the kernel stores nothing for an empty one, and a filter then sees the next string.
func maybeLost(f *value.Field) bool {
	return f.Encoding == value.String && len(f.PointerChecks) > 0 && f.PointerChecks[len(f.PointerChecks)-1].Space != value.KernelSpace
}
