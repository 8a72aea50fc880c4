package cond

import (
	"bytes"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Took is the duration of a call in ns, if the call has ended.
type Took struct {
	NS    uint64
	Ended bool
}

// Holds reports whether t holds; of returns the field of an operand and its value.
func (t *Test) Holds(d *Took, of func(Operand) (*value.Field, value.Value)) bool {
	switch {
	case t.And != nil:
		for _, kid := range t.And {
			if !kid.Holds(d, of) {
				return false
			}
		}
		return true
	case t.Or != nil:
		for _, kid := range t.Or {
			if kid.Holds(d, of) {
				return true
			}
		}
		return false
	case t.Unless != nil:
		return !t.Unless.Holds(d, of)
	case t.Elapsed:
		return d.Ended && compareNumbers(d.NS, t.Value.Num, false, false, t.Op)
	}
	f, left := of(t.Left)
	switch {
	case isLost(&left):
		return false
	case t.Against:
		g, right := of(t.Right)
		if isLost(&right) || left.Kind == value.Text && (left.Reason == value.CutOff || right.Reason == value.CutOff) {
			return false // the rest of the text may decide
		}
		return t.againstValue(left, f, right, g) != t.Negated
	case left.Kind == value.Text && left.Reason == value.CutOff && t.Value.Kind == value.Text:
		result, known := t.againstBeginning(string(left.Bytes))
		return known && result != t.Negated
	}
	return t.AgainstConstant(left, f) != t.Negated
}

// isLost reports whether there is no value to compare.
func isLost(v *value.Value) bool {
	return v.Kind == value.Fault || v.Kind == value.None || v.IsCut()
}

// againstBeginning compares a text of which only the beginning is known. known is false if
// the rest decides.
func (t *Test) againstBeginning(text string) (result, known bool) {
	want := t.Value.Text
	if t.Op != "~" {
		return t.Op == "!=", len(text) >= len(want) || !strings.HasPrefix(want, text)
	}
	if !filter.Begins(want, text) {
		return false, true
	}
	return true, strings.HasSuffix(want, "*") && !strings.HasSuffix(want, `\*`) && filter.Match(want, text)
}

func (t *Test) AgainstConstant(v value.Value, f *value.Field) bool {
	switch t.Value.Kind {
	case value.Text:
		if t.Op == "~" {
			return filter.Match(t.Value.Text, string(v.Bytes))
		}
		return (string(v.Bytes) == t.Value.Text) == (t.Op == "==")
	case value.Bytes:
		return sameBits(v.Bytes, t.Value.Bytes, t.Value.Bits) == (t.Op == "==")
	}
	a, _ := asUnsigned(v.Uint, v, f)
	b := t.Value.Num
	if t.Value.Mask != 0 {
		a &= t.Value.Mask
	}
	if f.BigEndian {
		a, b = f.Swapped(a), f.Swapped(b)
	}
	return compareNumbers(a, b, t.Value.Kind == value.Int, t.Value.Kind == value.Int, t.Op)
}

// sameBits reports whether data begins with want or, if bits is not 0, with its
// first bits.
func sameBits(data, want []byte, bits int) bool {
	whole := len(want)
	if bits > 0 {
		whole = bits / 8
	}
	if len(data) < len(want) || !bytes.Equal(data[:whole], want[:whole]) {
		return false
	}
	rest := uint(bits % 8)
	return rest == 0 || (data[whole]^want[whole])>>(8-rest) == 0
}

func (t *Test) againstValue(left value.Value, f *value.Field, right value.Value, g *value.Field) bool {
	if left.Kind == value.Text {
		return bytes.Equal(left.Bytes, right.Bytes) == (t.Op == "==")
	}
	a, b := left.Uint, right.Uint
	if f.BigEndian {
		a = f.Swapped(a)
	}
	if g.BigEndian {
		b = g.Swapped(b)
	}
	a, aSigned := asUnsigned(a, left, f)
	b, bSigned := asUnsigned(b, right, g)
	return compareNumbers(a, b, aSigned, bSigned, t.Op)
}

// asUnsigned applies the cast of f to x, the number of v. It reports whether the
// result is signed.
func asUnsigned(x uint64, v value.Value, f *value.Field) (uint64, bool) {
	if wide := f.Unsigned(); wide > 0 {
		return x << (64 - wide) >> (64 - wide), false
	}
	return x, v.Kind == value.Int
}

// compareNumbers compares by value, not as C would: -1 is less than any unsigned number.
func compareNumbers(a, b uint64, aSigned, bSigned bool, op spec.Op) bool {
	order := 0
	aNeg, bNeg := aSigned && int64(a) < 0, bSigned && int64(b) < 0
	switch {
	case aNeg != bNeg && aNeg:
		order = -1
	case aNeg != bNeg:
		order = 1
	case a < b: // for numbers of one sign, two's complement orders like unsigned
		order = -1
	case a > b:
		order = 1
	}
	switch op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "&":
		return a&b != 0
	}
	return false
}
