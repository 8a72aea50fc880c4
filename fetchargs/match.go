package fetchargs

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Decides reports whether some conditions are left for Match to decide.
func (p *Plan) Decides() bool { return p.check != nil }

// HoldsBack reports whether a call can be shown only after its return: the return
// decides whether it is wanted.
func (p *Plan) HoldsBack() bool {
	return p.chooses(dynevent.Return) || p.check.asksReturn()
}

func (t *test) asksReturn() bool {
	if t == nil {
		return false
	}
	if t.unless != nil {
		return t.unless.asksReturn()
	}
	return t.elapsed || t.left.side == dynevent.Return || t.against && t.right.side == dynevent.Return ||
		slices.ContainsFunc(t.and, (*test).asksReturn) || slices.ContainsFunc(t.or, (*test).asksReturn)
}

// chooses reports whether the kernel's filter selects among the events of a side.
func (p *Plan) chooses(side dynevent.Side) bool {
	return slices.ContainsFunc(p.Of(side), (*Probe).Chooses)
}

// Match reports whether the plan's conditions hold for a call. records has one record for
// each of p.Probes, and decoders has their decoders. A record that was not seen is nil; a
// condition on it does not hold. Nor does a condition on the duration, in ns, unless the
// call has ended. Match returns true if no conditions are left to user space.
func (p *Plan) Match(decoders []*value.Decoder, records [][]byte, duration uint64, ended bool) bool {
	if p.check == nil {
		return true
	}
	return p.check.holds(&took{duration, ended}, func(o operand) (*value.Field, value.Value) {
		i := p.probe(o)
		f := &p.Probes[i].Fields[o.index]
		if records[i] == nil {
			return f, value.Value{}
		}
		return f, decoders[i].Value(o.index, records[i])
	})
}

// probe returns the index of the operand's probe in p.Probes.
func (p *Plan) probe(o operand) int {
	if o.side == dynevent.Return {
		return len(p.Of(dynevent.Entry)) + o.part
	}
	return o.part
}

// fieldOf returns the field that the operand refers to.
func (p *Plan) fieldOf(o operand) *value.Field { return &p.Probes[p.probe(o)].Fields[o.index] }

// A took is the duration of a call in ns, if the call has ended.
type took struct {
	ns    uint64
	ended bool
}

// holds reports whether t holds; of returns the field of an operand and its value.
func (t *test) holds(d *took, of func(operand) (*value.Field, value.Value)) bool {
	switch {
	case t.and != nil:
		for _, kid := range t.and {
			if !kid.holds(d, of) {
				return false
			}
		}
		return true
	case t.or != nil:
		for _, kid := range t.or {
			if kid.holds(d, of) {
				return true
			}
		}
		return false
	case t.unless != nil:
		return !t.unless.holds(d, of)
	}
	if t.elapsed {
		return d.ended && compareNumbers(d.ns, t.value.num, false, false, t.op)
	}
	f, left := of(t.left)
	if left.Kind == value.Fault || left.Kind == value.None || left.IsCut() {
		return false
	}
	if t.against {
		g, right := of(t.right)
		if right.Kind == value.Fault || right.Kind == value.None || right.IsCut() {
			return false
		}
		if left.Kind == value.Text && (left.Why == value.CutOff || right.Why == value.CutOff) {
			return false // the rest of the text may decide
		}
		return t.againstValue(left, f, right, g) != t.negated
	}
	if left.Kind == value.Text && left.Why == value.CutOff && t.value.kind == value.Text {
		result, known := t.againstBeginning(string(left.Bytes))
		return known && result != t.negated
	}
	return t.againstConstant(left, f) != t.negated
}

// againstBeginning compares a text of which only the beginning is known. known is false if
// the rest decides.
func (t *test) againstBeginning(text string) (result, known bool) {
	want := t.value.text
	if t.op != "~" {
		return t.op == "!=", len(text) >= len(want) || !strings.HasPrefix(want, text)
	}
	if !globBegins(want, text) {
		return false, true
	}
	return true, strings.HasSuffix(want, "*") && !strings.HasSuffix(want, `\*`) && globMatch(want, text)
}

func (t *test) againstConstant(v value.Value, f *value.Field) bool {
	switch t.value.kind {
	case value.Text:
		if t.op == "~" {
			return globMatch(t.value.text, string(v.Bytes))
		}
		return (string(v.Bytes) == t.value.text) == (t.op == "==")
	case value.Bytes:
		return sameBits(v.Bytes, t.value.bytes, t.value.bits) == (t.op == "==")
	}
	a, _ := asUnsigned(v.Uint, v, f)
	b := t.value.num
	if t.value.mask != 0 {
		a &= t.value.mask
	}
	if f.BigEndian {
		a, b = f.Swapped(a), f.Swapped(b)
	}
	return compareNumbers(a, b, t.value.kind == value.Int, t.value.kind == value.Int, t.op)
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

func (t *test) againstValue(left value.Value, f *value.Field, right value.Value, g *value.Field) bool {
	if left.Kind == value.Text {
		return bytes.Equal(left.Bytes, right.Bytes) == (t.op == "==")
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
	return compareNumbers(a, b, aSigned, bSigned, t.op)
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
