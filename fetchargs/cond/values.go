package cond

import (
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Values are what is wanted at a function's entry, at its return, or in one part of these.
type Values struct {
	At     dynevent.Side
	Part   int
	Used   bool // something asks for this side
	Fields []value.Field
	Exprs  []string // Fields[i] is the value of the expression Exprs[i]
}

// A Ref refers to a field on one of a plan's two sides.
type Ref struct {
	Values *Values
	Index  int
}

// Ref refers to the i-th field.
func (s *Values) Ref(i int) Ref { return Ref{s, i} }

// Field returns the field. It is valid until one is added.
func (f Ref) Field() *value.Field { return &f.Values.Fields[f.Index] }

// Operand returns the place of the field among those of a plan.
func (f Ref) Operand() Operand { return Operand{f.Values.At, f.Values.Part, f.Index} }

// Append adds a field with the value of x, which is "" if no expression has it.
//
//go:noinline
func (s *Values) Append(f value.Field, x string) Ref {
	s.Fields, s.Exprs = append(s.Fields, f), append(s.Exprs, x)
	return s.Ref(len(s.Fields) - 1)
}
