// Package cond turns the conditions of a spec into tests of the values that are fetched, or
// have been recorded, and decides whether a test holds.
package cond

import (
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A Test is a condition in normal form: negations are pushed down to the comparisons,
// because a value that could not be read satisfies neither a comparison nor its opposite.
type Test struct {
	And, Or []*Test // at most one of And, Or and Unless is set; otherwise this is a comparison
	Unless  *Test   // must not hold. Unlike an opposite this includes values that could not be read

	Op      spec.Op
	Negated bool // "&" and "~" have no opposite
	Left    Operand
	Right   Operand  // an expression, or
	Value   Constant // a constant
	Against bool     // Right is set, not Value
	Elapsed bool     // compares the duration with Value; Left is not set
}

// An Operand refers to a field of one of the plan's probes.
type Operand struct {
	Side  dynevent.Side
	Part  int
	Index int
}

// Opposite returns the comparison that holds for numbers if op does not; ok is false if
// there is none.
func Opposite(op spec.Op) (_ spec.Op, ok bool) {
	not, ok := opposites[op]
	return not, ok
}

var opposites = map[spec.Op]spec.Op{"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// Join combines tests with && if and is set, else with ||. Tests that are combined
// in the same way are merged.
//
//go:noinline
func Join(and bool, tests ...*Test) *Test {
	if len(tests) == 1 {
		return tests[0]
	}
	whole := &Test{}
	for _, t := range tests {
		switch {
		case and && t.And != nil:
			whole.And = append(whole.And, t.And...)
		case and:
			whole.And = append(whole.And, t)
		case t.Or != nil:
			whole.Or = append(whole.Or, t.Or...)
		default:
			whole.Or = append(whole.Or, t)
		}
	}
	return whole
}

// Comparisons yields the comparisons that t consists of. It yields none if t is nil.
func (t *Test) Comparisons(yield func(*Test) bool) { t.each(yield) }

// each is Comparisons; it returns false if yield has.
func (t *Test) each(yield func(*Test) bool) bool {
	switch {
	case t == nil:
		return true
	case t.Unless != nil:
		return t.Unless.each(yield)
	case t.And == nil && t.Or == nil:
		return yield(t)
	}
	for _, kid := range append(t.And, t.Or...) {
		if !kid.each(yield) {
			return false
		}
	}
	return true
}

// Sides reports from which sides t needs values.
func (t *Test) Sides() (entry, exit bool) {
	for c := range t.Comparisons {
		exit = exit || c.Elapsed || c.Left.Side == dynevent.Return || c.Against && c.Right.Side == dynevent.Return
		entry = entry || c.Elapsed || c.Left.Side == dynevent.Entry || c.Against && c.Right.Side == dynevent.Entry
	}
	return entry, exit
}

// IsOf reports whether all operands of t are fields of one probe.
func (t *Test) IsOf(side dynevent.Side, part int) bool {
	of := func(o Operand) bool { return o.Side == side && o.Part == part }
	for c := range t.Comparisons {
		if c.Elapsed || !of(c.Left) || c.Against && !of(c.Right) {
			return false
		}
	}
	return true
}

// AsksReturn reports whether t needs to know the return.
func (t *Test) AsksReturn() bool {
	_, exit := t.Sides()
	return exit
}
