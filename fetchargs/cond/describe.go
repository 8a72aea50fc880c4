package cond

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Describe returns t as a condition on the labels of the fields.
func (t *Test) Describe(field func(Operand) *value.Field) string {
	word := " && "
	if t.Or != nil {
		word = " || "
	}
	if t.And != nil || t.Or != nil {
		text := ""
		for i, kid := range append(t.And, t.Or...) {
			if i > 0 {
				text += word
			}
			if kid.Or != nil || kid.And != nil {
				text += "(" + kid.Describe(field) + ")"
			} else {
				text += kid.Describe(field)
			}
		}
		return text
	}
	if t.Elapsed {
		return fmt.Sprintf("duration %s %s", t.Op, t.Value.Shown)
	}
	left := field(t.Left)
	text := fmt.Sprintf("%s %s ", t.Value.masked(left), t.Op)
	if t.Against {
		text += field(t.Right).Label
	} else {
		text += t.Value.Shown
	}
	if t.Negated {
		return "!(" + text + ")"
	}
	return text
}

// masked returns the left side of a comparison with c.
func (c Constant) masked(f *value.Field) string {
	if c.Mask == 0 || strings.Contains(c.Shown, "/") { // a prefix contains its mask
		return f.Label
	}
	mask := c.Mask
	if f.BigEndian {
		mask = f.Swapped(mask)
	}
	return fmt.Sprintf("(%s & 0x%x)", f.Label, mask)
}
