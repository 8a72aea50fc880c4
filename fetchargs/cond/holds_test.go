package cond

import (
	"testing"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TestHolds compares values with constants and with each other. A value that could not be
// read, or whose rest decides, satisfies neither a comparison nor its opposite.
func TestHolds(t *testing.T) {
	num := func(x int64) value.Value { return value.Value{Kind: value.Uint, Uint: uint64(x)} }
	neg := func(x int64) value.Value { return value.Value{Kind: value.Int, Uint: uint64(x)} }
	text := func(s string) value.Value { return value.Value{Kind: value.Text, Bytes: []byte(s)} }
	bytes := func(s string) value.Value { return value.Value{Kind: value.Bytes, Bytes: []byte(s)} }
	cut := func(v value.Value) value.Value { v.Reason = value.CutOff; return v }
	none, fault := value.Value{}, value.Value{Kind: value.Fault}
	is := func(op spec.Op, c Constant) *Test { return &Test{Op: op, Value: c} }
	than := func(op spec.Op, x int64) *Test { return is(op, Constant{Kind: value.Int, Num: uint64(x)}) }
	flag := func(op spec.Op, x uint64) *Test { return is(op, Constant{Kind: value.Uint, Num: x}) }
	word := func(op spec.Op, s string) *Test { return is(op, Constant{Kind: value.Text, Text: s}) }
	other := func(op spec.Op) *Test { return &Test{Op: op, Against: true, Right: Operand{Index: 1}} }
	not := func(t *Test) *Test { t.Negated = true; return t }
	long := time(100)
	port := value.Field{Size: 2, BigEndian: true}
	wide := value.Field{Size: 4, Signed: true, Type: &btf.Int{Name: "u64", Size: 8}}
	var plain value.Field
	for i, c := range []struct {
		test        *Test
		f, g        *value.Field
		left, right value.Value
		want        bool
	}{
		{than("==", -1), &plain, &plain, neg(-1), none, true}, {than("==", -1), &plain, &plain, neg(1), none, false},
		{than("!=", -1), &plain, &plain, neg(1), none, true}, {than("!=", 1), &plain, &plain, neg(1), none, false},
		{than("<", 1), &plain, &plain, neg(-1), none, true}, {than("<", 1), &plain, &plain, neg(1), none, false}, {than("<", -1), &plain, &plain, neg(1), none, false},
		{than("<=", 1), &plain, &plain, neg(1), none, true}, {than("<=", 1), &plain, &plain, neg(2), none, false},
		{than(">", 1), &plain, &plain, neg(2), none, true}, {than(">", 1), &plain, &plain, neg(1), none, false}, {than(">", 1), &plain, &plain, neg(-1), none, false},
		{than(">=", 1), &plain, &plain, neg(1), none, true}, {than(">=", 1), &plain, &plain, neg(0), none, false},
		{flag("<", 1), &plain, &plain, num(-1), none, false}, {flag(">", 1), &plain, &plain, num(-1), none, true},
		{flag("&", 6), &plain, &plain, num(4), none, true}, {flag("&", 6), &plain, &plain, num(9), none, false},
		{not(flag("&", 6)), &plain, &plain, num(9), none, true}, {not(flag("&", 6)), &plain, &plain, fault, none, false},
		{flag("?", 6), &plain, &plain, num(6), none, false},
		{is("==", Constant{Kind: value.Uint, Num: 2, Mask: 3}), &plain, &plain, num(6), none, true},
		{flag("<", 0x0100), &port, &plain, num(0x0200), none, false}, {flag("<", 0x0200), &port, &plain, num(0x00ff), none, false}, {flag(">", 0x0100), &port, &plain, num(0x0002), none, true},
		{flag("==", 1<<64-1), &wide, &plain, neg(-1), none, true}, {than(">", 0), &wide, &plain, neg(-1), none, false},
		{than("==", 0), &plain, &plain, none, none, false}, {than("==", 0), &plain, &plain, fault, none, false},
		{word("==", "ab"), &plain, &plain, text("ab"), none, true}, {word("==", "ab"), &plain, &plain, text("a"), none, false},
		{word("!=", "ab"), &plain, &plain, text("a"), none, true}, {word("~", "a*"), &plain, &plain, text("ab"), none, true}, {word("~", "b*"), &plain, &plain, text("ab"), none, false},
		{not(word("~", "b*")), &plain, &plain, text("ab"), none, true},
		// Only the beginning is known.
		{word("==", "abc"), &plain, &plain, cut(text("ab")), none, false}, {word("!=", "abc"), &plain, &plain, cut(text("ab")), none, false},
		{word("==", "ab"), &plain, &plain, cut(text("ab")), none, false}, {word("!=", "ab"), &plain, &plain, cut(text("ab")), none, true},
		{word("!=", "xyz"), &plain, &plain, cut(text("ab")), none, true}, {word("==", "xyz"), &plain, &plain, cut(text("ab")), none, false},
		{word("~", "a*"), &plain, &plain, cut(text("ab")), none, true}, {not(word("~", "a*")), &plain, &plain, cut(text("ab")), none, false},
		{word("~", "a*c"), &plain, &plain, cut(text("ab")), none, false}, {not(word("~", "a*c")), &plain, &plain, cut(text("ab")), none, false},
		{word("~", `ab\*`), &plain, &plain, cut(text("ab*")), none, false}, {word("~", "x*"), &plain, &plain, cut(text("ab")), none, false}, {not(word("~", "x*")), &plain, &plain, cut(text("ab")), none, true},
		{word("~", "abc*"), &plain, &plain, cut(text("ab")), none, false}, {not(word("~", "abc*")), &plain, &plain, cut(text("ab")), none, false},
		{is("==", Constant{Kind: value.Bytes, Bytes: []byte("ab")}), &plain, &plain, bytes("abc"), none, true},
		{is("!=", Constant{Kind: value.Bytes, Bytes: []byte("ab")}), &plain, &plain, bytes("abc"), none, false},
		{is("==", Constant{Kind: value.Bytes, Bytes: []byte("ab")}), &plain, &plain, cut(bytes("abc")), none, false},
		// With each other.
		{other("=="), &plain, &plain, text("ab"), text("ab"), true}, {other("!="), &plain, &plain, text("ab"), text("a"), true}, {other("!="), &plain, &plain, text("ab"), text("ab"), false},
		{other("!="), &plain, &plain, cut(text("ab")), text("x"), false}, {other("!="), &plain, &plain, text("x"), cut(text("ab")), false},
		{other("!="), &plain, &plain, num(1), fault, false}, {other("!="), &plain, &plain, num(1), none, false}, {other("!="), &plain, &plain, bytes("a"), cut(bytes("b")), false},
		{other("<"), &plain, &plain, neg(-1), num(-1), true}, {other(">"), &plain, &plain, num(-1), neg(-1), true}, {other("=="), &plain, &plain, num(-1), neg(-1), false},
		{other("=="), &wide, &plain, neg(-1), num(-1), true}, {other("=="), &plain, &wide, num(-1), neg(-1), true},
		{other("<"), &port, &plain, num(0x0200), num(3), true}, {other(">"), &plain, &port, num(3), num(0x0200), true},
		{not(other("&")), &plain, &plain, num(1), num(2), true},
		// Joined.
		{Join(true, than(">", 1), than("<", 3)), &plain, &plain, num(2), none, true}, {Join(true, than(">", 1), than("<", 3)), &plain, &plain, num(3), none, false},
		{Join(false, than("<", 1), than(">", 3)), &plain, &plain, num(4), none, true}, {Join(false, than("<", 1), than(">", 3)), &plain, &plain, num(2), none, false},
		{&Test{Unless: than("==", 1)}, &plain, &plain, fault, none, true}, {&Test{Unless: than("==", 1)}, &plain, &plain, num(1), none, false},
		{long, &plain, &plain, none, none, true}, {time(1000), &plain, &plain, none, none, false},
	} {
		got := c.test.Holds(&Took{NS: 500, Ended: true}, func(o Operand) (*value.Field, value.Value) {
			if o.Index == 1 {
				return c.g, c.right
			}
			return c.f, c.left
		})
		if got != c.want {
			t.Errorf("%d: %s %+v against %v %q, %v %q: %v", i, c.test.Op, c.test.Value, c.left.Uint, c.left.Bytes, c.right.Uint, c.right.Bytes, got)
		}
	}
	if long.Holds(&Took{NS: 500}, nil) {
		t.Error("a call that has not ended has a duration")
	}
}

// time is a test that the call took longer than ns.
func time(ns uint64) *Test { return &Test{Op: ">", Elapsed: true, Value: Constant{Num: ns}} }

// TestSides says from which sides tests need values.
func TestSides(t *testing.T) {
	at := func(left, right dynevent.Side, against bool) *Test {
		return &Test{Left: Operand{Side: left}, Right: Operand{Side: right}, Against: against}
	}
	const in, out = dynevent.Entry, dynevent.Return
	for i, c := range []struct {
		test                *Test
		entry, exit, of, no bool
	}{
		{at(in, out, false), true, false, true, false},
		{at(out, in, false), false, true, false, true},
		{at(in, out, true), true, true, false, true},
		{at(out, in, true), true, true, false, true},
		{at(in, in, true), true, false, true, false},
		{time(1), true, true, false, true},
		{Join(true, at(in, in, false), at(out, in, false)), true, true, false, true},
		{Join(false, at(in, in, false), at(in, in, false)), true, false, true, false},
		{Join(true, at(in, in, false), Join(true, at(in, in, true), time(1))), true, true, false, true},
	} {
		entry, exit := c.test.Sides()
		if entry != c.entry || exit != c.exit || c.test.IsOf(in, 0) != c.of || c.test.AsksReturn() != c.no {
			t.Errorf("%d: entry %v, return %v, of the entry %v, asks for the return %v", i, entry, exit, c.test.IsOf(in, 0), c.test.AsksReturn())
		}
	}
	if at(in, in, false).IsOf(in, 1) || (*Test)(nil).AsksReturn() || !(&Test{Unless: time(1)}).AsksReturn() || (&Test{Unless: at(in, in, false)}).AsksReturn() {
		t.Error("parts, no test, or what must not hold")
	}
	if n := len(Join(true, Join(true, time(1), time(2)), time(3)).And); n != 3 {
		t.Errorf("%d tests of three", n)
	}
}

func TestSameBits(t *testing.T) {
	data := []byte{0x20, 0x01, 0x0d, 0xb8, 1, 2}
	for _, tt := range []struct {
		want []byte
		bits int
		same bool
	}{
		{[]byte{0x20, 0x01, 0x0d, 0xb8}, 0, true},
		{[]byte{0x20, 0x01, 0x0d, 0xb0}, 28, true},
		{[]byte{0x20, 0x01, 0x0d, 0xb0}, 29, false},
		{[]byte{0x20, 0x01, 0, 0}, 16, true},
		{[]byte{0x21, 0, 0, 0}, 7, true},
		{data, 0, true},
		{append(data[:6:6], 3), 0, false},
	} {
		if got := sameBits(data, tt.want, tt.bits); got != tt.same {
			t.Errorf("sameBits(%x, %x, %d) = %t", data, tt.want, tt.bits, got)
		}
	}
}
