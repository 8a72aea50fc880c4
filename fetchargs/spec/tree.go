// Package spec implements the language of specs: it turns text into a tree and back. It
// knows the syntax, but no types and no kernels.
package spec

import "math/big"

// A Spec is the tree of one spec, SPEC in the grammar of `tsnoop help spec`.
type Spec struct {
	Text   string // the text that was parsed; spans refer to it
	Module Name   // empty if not given
	Func   Name
	Parens bool // there is a parameter list, maybe an empty one
	Items  []*Item
	If     Cond // nil if there is no condition
	Span        // of the whole spec

	// Else is the alternative for kernels that lack something that this spec asks for;
	// nil if there is none. All alternatives have the same Text.
	Else *Spec
	Nth  int // number of alternatives before this one

	// Starts is the clock that its calls start, for which alone they are recorded, and Of, the
	// text of the spec that has the clock: see Starters. Both are empty for a user's spec.
	Starts, Of string
}

// HasAlternatives reports whether s is one of several alternatives.
func (s *Spec) HasAlternatives() bool { return s.Else != nil || s.Nth > 0 }

// Named returns the function or event that s names, with its module or system if that is given.
func (s *Spec) Named() string {
	if s.Module.Text == "" {
		return s.Func.Text
	}
	return s.Module.Text + ":" + s.Func.Text
}

// Alone returns s without the alternatives after it.
func (s *Spec) Alone() *Spec {
	alone := *s
	alone.Else = nil
	return &alone
}

// A Name is an identifier and its place.
type Name struct {
	Text string
	Span
}

// An Item is one entry of the parameter list. Exactly one of Expr and Cond is set.
type Item struct {
	Name   Name // empty if not given
	Expr   Expr
	Cond   Cond
	Format Name // with its count, "u8[16]"; empty if not given
	Span
}

// An Expr is one of *Ident, *Member, *Index, *Range, *Deref, *Addr, *Cast,
// *ContainerOf, *Symbol, *PerCPU, *Builtin, *Choice, *SizeOf, *Since and, as all of an item,
// *Typed.
type Expr interface {
	Where() Span
	String() string
}

type (
	// Ident is a parameter or "return".
	Ident struct{ Name }
	// Member is X->Name or X.Name, which mean the same.
	Member struct {
		X     Expr
		Arrow bool
		Name  Name
	}
	// Index is X[N].
	Index struct {
		X Expr
		N int64
		Span
	}
	// Range is X[First..Last], the elements from First to Last, both included.
	Range struct {
		X           Expr
		First, Last int64
		Span
	}
	// Deref is *X.
	Deref struct {
		X Expr
		Span
	}
	// Addr is &X.
	Addr struct {
		X Expr
		Span
	}
	// Cast is (Type)X.
	Cast struct {
		Type Name
		X    Expr
		Span
	}
	// ContainerOf is container_of(X, Type, Member).
	ContainerOf struct {
		X      Expr
		Type   Name
		Member []Name // a.b.c
		Span
	}
	// Symbol is @NAME, a variable of the kernel.
	Symbol struct{ Name }
	// PerCPU is this_cpu(Name), the copy that a CPU has of a variable, or per_cpu(Name, CPU).
	PerCPU struct {
		Name Name
		CPU  int // ThisCPU or a number
		Span
	}
	// Builtin is a name with its sign: $comm, $current, $argN, $stackN, $stack, $retval
	// or %REG.
	Builtin struct{ Name }
	// Typed is an entry of a function based event: TYPE NAME{+N|[N]}, for a parameter by
	// its position, or TYPE NAME=0xADDR, or TYPE EXPR.
	Typed struct {
		Type  Name // "unsigned int"
		Count int  // elements, as in x8[6]; 0 if it is not an array
		Name  Name // name of the value; empty if it has none
		Param int  // number of the parameter, from 1; 0 if it is not for a parameter
		Steps []Step
		Addr  *Literal // address in kernel memory; nil if X is set
		X     Expr
		Span
	}
)

type (
	// Choice is X->(A|B): the first of several members that exists.
	Choice struct {
		X    Expr
		Alts [][]Suffix
		Span
	}
	// SizeOf is sizeof(Type), or if Type is empty, sizeof(X), in bytes.
	SizeOf struct {
		Type Name
		X    Expr
		Span
	}
)

// A Suffix is ->Name or .Name, or if Name is empty, [N].
type Suffix struct {
	Arrow bool
	Name  Name
	N     int64
}

// A Step adds N bytes to a pointer or, if Read is set, reads element N of what it points
// to.
type Step struct {
	N    int64
	Read bool
}

// A Cond is one of *Compare, *Not, *And and *Or.
type Cond interface {
	Where() Span
	String() string
}

type (
	// Compare is X Op Value or, if Other is set, X Op Other.
	Compare struct {
		X           Expr
		Format      Name     // of X, empty if not given
		Mask        *Literal // of (X & Mask) Op Y, nil if there is none
		Op          Op
		Value       *Literal
		Other       Expr
		OtherFormat Name
	}
	// Not is !X.
	Not struct {
		X Cond
		Span
	}
	// And is X && Y.
	And struct{ X, Y Cond }
	// Or is X || Y.
	Or struct{ X, Y Cond }
)

// Op is a comparison: "==", "!=", "<", "<=", ">", ">=", "&" (has one of these
// bits) or "~" (matches this glob).
type Op string

// A Literal is a value to compare with.
type Literal struct {
	Kind  LiteralKind
	Text  string   // as written; for Quoted and CharLit the text between the quotes
	Int   *big.Int // for Number, CharLit and Time
	Bytes []byte   // for Address: 4 (IPv4), 6 (MAC) or 16 (IPv6) bytes
	Bits  int      // for Address: the length of the prefix in bits; 0 for all
	Span
}

// LiteralKind says what a Literal is.
type LiteralKind uint8

const (
	Number  LiteralKind = iota
	CharLit             // 'c'
	Quoted              // "text"
	Word                // an enum constant, an errno name, NULL, true, false
	Address             // IPv4, IPv6 or MAC
	Time                // 1.5ms; Int has ns
)

// IsNull reports whether l is NULL or 0. It is false for a nil l.
func (l *Literal) IsNull() bool {
	return l != nil && (l.Kind == Word && l.Text == "NULL" || l.Kind == Number && l.Int.Sign() == 0)
}

// IsText reports whether l is text, or a character that may be meant as text. It is false for a
// nil l.
func (l *Literal) IsText() bool { return l != nil && (l.Kind == Quoted || l.Kind == CharLit) }

func (e *Member) Where() Span { return e.X.Where().To(e.Name.Span) }

func (c *Compare) Where() Span {
	if c.Other != nil {
		return c.X.Where().To(c.Other.Where())
	}
	return c.X.Where().To(c.Value.Span)
}
func (c *And) Where() Span { return c.X.Where().To(c.Y.Where()) }
func (c *Or) Where() Span  { return c.X.Where().To(c.Y.Where()) }

// For returns s for one of the functions that it matches. Errors are still shown in the
// text that the user wrote.
func (s *Spec) For(module, name string) *Spec {
	one := *s
	one.Func.Text = name
	if module != "" {
		one.Module = Name{Text: module, Span: s.Module.Span}
	}
	return &one
}

// ForSyscall returns s for one of the system calls that it matches.
func (s *Spec) ForSyscall(name string) *Spec {
	one := *s
	one.Func.Text, one.Module = name, Name{}
	return &one
}
