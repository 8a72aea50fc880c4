// Package cond turns the conditions of a spec into tests of the values that are fetched, or
// have been recorded, and decides whether a test holds.
package cond

import (
	"slices"

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

// Sides reports from which sides t needs values.
func (t *Test) Sides() (entry, exit bool) {
	for _, kid := range append(t.And, t.Or...) {
		e, x := kid.Sides()
		entry, exit = entry || e, exit || x
	}
	if t.And != nil || t.Or != nil {
		return entry, exit
	}
	if t.Elapsed {
		return true, true
	}
	exit = t.Left.Side == dynevent.Return || t.Against && t.Right.Side == dynevent.Return
	entry = t.Left.Side == dynevent.Entry || t.Against && t.Right.Side == dynevent.Entry
	return entry, exit
}

// IsOf reports whether all operands of t are fields of one probe.
func (t *Test) IsOf(side dynevent.Side, part int) bool {
	for _, kid := range append(t.And, t.Or...) {
		if !kid.IsOf(side, part) {
			return false
		}
	}
	of := func(o Operand) bool { return o.Side == side && o.Part == part }
	return t.And != nil || t.Or != nil || !t.Elapsed && of(t.Left) && (!t.Against || of(t.Right))
}

func (t *Test) AsksReturn() bool {
	if t == nil {
		return false
	}
	if t.Unless != nil {
		return t.Unless.AsksReturn()
	}
	return t.Elapsed || t.Left.Side == dynevent.Return || t.Against && t.Right.Side == dynevent.Return ||
		slices.ContainsFunc(t.And, (*Test).AsksReturn) || slices.ContainsFunc(t.Or, (*Test).AsksReturn)
}
