package fetchargs

import (
	"fmt"
	"maps"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// push adds t to the filter of the probe whose values it needs. It reports whether the
// filter alone decides t; if not, user space decides again about the events that pass.
func (r *resolver) push(t *cond.Test) bool {
	entry, exit := t.Sides()
	// Where returns are paired with entries, a return whose entry was filtered out would
	// be paired with an earlier entry (see package calls).
	paired := r.fn.Target.Calls && (r.fn.Target.Pair && r.fn.Source.Returns() || r.entry.Used && r.exit.Used)
	if entry == exit || entry && paired {
		r.out.Partial = true
		return false
	}
	side := r.entry
	if exit {
		side = r.exit
	}
	known := maps.Clone(side.known)
	text, exact, ok := side.filter(t, known)
	if !ok {
		r.out.Partial = true
		return false
	}
	if t.Or != nil {
		text = "(" + text + ")"
	}
	if len(strings.Join(side.filters, " && "))+len(text) > maxFilter-side.roomOfCPUs() {
		r.out.Partial = true
		return false
	}
	side.filters, side.known = append(side.filters, text), known
	return exact
}

// filter writes t for the kernel; ok is false if a filter cannot express it. exact is
// false if the filter may accept a pointer that cannot be read, or a parameter that the
// call does not use. known are the checks of
// pointers that already hold where t is decided.
func (b *builder) filter(t *cond.Test, known map[string]bool) (text string, exact, ok bool) {
	if t.And == nil && t.Or == nil {
		return b.filterLeaf(t, known)
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
		part, sure, ok := b.filter(kid, given)
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

// filterLeaf is filter for a single comparison.
func (b *builder) filterLeaf(t *cond.Test, known map[string]bool) (text string, exact, ok bool) {
	f := &b.Fields[t.Left.Index]
	if !isFilterable(t, f) || !b.isFaithful(t, f) {
		return "", false, false
	}
	if text, ok = b.comparison(t, f); !ok {
		return "", false, false
	}
	if t.Negated {
		text = "!(" + text + ")"
	}
	var parts []string
	for _, check := range b.filterGuards(f) {
		if !known[check] {
			known[check] = true
			parts = append(parts, check)
		}
	}
	spared := b.r.fn.Target.Live && isLong(&b.args[f.Arg]) // the filter of a spare does not look at the text
	exact = len(f.Guards) == 0 && f.Use == nil && !unended(t.Value, f, t.Op) && !spared
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
func (b *builder) isFaithful(t *cond.Test, f *value.Field) bool {
	switch {
	case b.r.fn.Target.Live && maybeLost(f) && t.AgainstConstant(value.Value{Kind: value.Text}, f) != t.Negated,
		t.Negated && unended(t.Value, f, t.Op):
		return false
	}
	return b.probe.Kind.Defined() || b.compares(&b.args[f.Arg], t)
}

// comparison writes t without its Negated.
func (b *builder) comparison(t *cond.Test, f *value.Field) (text string, ok bool) {
	name := b.args[f.Arg].Name
	switch {
	case f.Encoding == value.Array:
		return b.filterBytes(t, f)
	case t.Value.Mask != 0:
		return maskedFilter(t.Value, name, f, t.Op), true
	}
	text, ok = filterText(t.Value, f, t.Op, !b.r.fn.Target.Live)
	return fmt.Sprintf("%s %s %s", name, t.Op, text), ok
}

// maskedFilter writes (name & mask) == num by the only test that filters have: whether
// any of some bits is set.
func maskedFilter(c cond.Constant, name string, f *value.Field, op spec.Op) string {
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

// filterGuards writes what the kernel can check of f's pointers: that they are in the
// right range of addresses. Only user space knows whether they are mapped.
func (b *builder) filterGuards(f *value.Field) []string {
	var guards []string
	arch := b.r.fn.Target.Arch
	for _, g := range f.Guards {
		name := b.args[g.Arg].Name
		switch g.Space {
		case value.KernelSpace:
			guards = append(guards, fmt.Sprintf("%s >= 0x%x && %s < 0x%x", name, arch.KernelStart, name, abi.ErrorPointers))
		case value.UserSpace:
			guards = append(guards, fmt.Sprintf("%s != 0 && %s < 0x%x", name, name, arch.UserEnd))
		case value.EitherSpace:
			guards = append(guards, fmt.Sprintf("(%s != 0 && %s < 0x%x || %s >= 0x%x && %s < 0x%x)",
				name, name, arch.UserEnd, name, arch.KernelStart, name, abi.ErrorPointers))
		case value.AnySpace:
			guards = append(guards, fmt.Sprintf("%s != 0 && %s < 0x%x", name, name, abi.ErrorPointers))
		}
	}
	return guards
}
