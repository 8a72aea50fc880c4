package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// String returns the spec in its canonical form. Parsing it gives an equal tree.
func (s *Spec) String() string {
	var b strings.Builder
	b.WriteString(s.Named())
	if s.Parens {
		b.WriteString("(" + joined(s.Items) + ")")
	}
	if s.If != nil {
		b.WriteString(" if " + s.If.String())
	}
	if s.Else != nil {
		b.WriteString(" | " + s.Else.String())
	}
	return b.String()
}

func (i *Item) String() string {
	s := i.Label()
	if _, typed := i.Expr.(*Typed); i.Name.Text != "" && !typed {
		s = i.Name.Text + "=" + s
	}
	if i.Format.Text != "" {
		s += ":" + i.Format.Text
	}
	return s
}

// Label returns the item's expression or condition, without name and format.
func (i *Item) Label() string {
	if i.Expr != nil {
		return i.Expr.String()
	}
	return i.Cond.String()
}

func (e *Ident) String() string { return e.Text }

func (e *Member) String() string {
	op := "."
	if e.Arrow {
		op = "->"
	}
	return Postfixed(e.X) + op + e.Name.Text
}

func (e *Index) String() string { return fmt.Sprintf("%s[%d]", Postfixed(e.X), e.N) }
func (e *Range) String() string {
	return fmt.Sprintf("%s[%d..%d]", Postfixed(e.X), e.First, e.Last)
}
func (e *Deref) String() string { return "*" + e.X.String() }

// String writes "(name)(&x)", because "(name)&x" would be a mask: see castEnd.
func (e *Cast) String() string {
	typ, x := CanonicalType(e.Type.Text), e.X.String()
	first, _, _ := strings.Cut(typ, " ")
	if _, ok := e.X.(*Addr); ok && !isTypeWord(first) && !isTypeName(first) && !strings.Contains(typ, "*") {
		x = "(" + x + ")"
	}
	return "(" + typ + ")" + x
}

// String puts a space between two of them, because && is another operator.
func (e *Addr) String() string {
	if _, again := e.X.(*Addr); again {
		return "& " + e.X.String()
	}
	return "&" + e.X.String()
}

func (e *ContainerOf) String() string {
	names := make([]string, len(e.Member))
	for i, m := range e.Member {
		names[i] = m.Text
	}
	return fmt.Sprintf("container_of(%s, %s, %s)", e.X, CanonicalType(e.Type.Text), strings.Join(names, "."))
}

func (e *Symbol) String() string  { return "@" + e.Text }
func (e *Builtin) String() string { return e.Text }

// Postfixed returns x as it is written before "->", "." or "[". Prefix operators get
// parentheses, because "->", "." and "[" bind tighter.
func Postfixed(x Expr) string {
	switch x.(type) {
	case *Deref, *Addr, *Cast:
		return "(" + x.String() + ")"
	}
	return x.String()
}

// CanonicalType returns a C type with single spaces and its stars together: "struct sock
// *".
func CanonicalType(s string) string {
	words := strings.Fields(strings.ReplaceAll(s, "*", " * "))
	return strings.ReplaceAll(strings.Join(words, " "), "* *", "**")
}

func (c *Compare) String() string {
	left := Formatted(c.X, c.Format)
	if c.Mask != nil {
		left = fmt.Sprintf("(%s & %s)", left, c.Mask)
	}
	if c.Other != nil {
		return fmt.Sprintf("%s %s %s", left, c.Op, Formatted(c.Other, c.OtherFormat))
	}
	return fmt.Sprintf("%s %s %s", left, c.Op, c.Value)
}

// Formatted returns x with its format, if there is one: "skb->len:x".
func Formatted(x Expr, format Name) string {
	if format.Text == "" {
		return x.String()
	}
	return x.String() + ":" + format.Text
}

func (c *Not) String() string {
	if _, ok := c.X.(*Not); ok {
		return "!" + c.X.String()
	}
	return "!(" + c.X.String() + ")"
}

func (c *And) String() string { return factor(c.X) + " && " + grouped(c.Y, c) }
func (c *Or) String() string  { return c.X.String() + " || " + grouped(c.Y, c) }

// factor returns an operand of &&, in parentheses if it needs them.
func factor(c Cond) string {
	if _, ok := c.(*Or); ok {
		return "(" + c.String() + ")"
	}
	return c.String()
}

// grouped returns the right operand of parent, in parentheses if it needs them: && and ||
// group to the left.
func grouped(c, parent Cond) string {
	_, or := c.(*Or)
	_, and := c.(*And)
	_, inAnd := parent.(*And)
	if or || and && inAnd {
		return "(" + c.String() + ")"
	}
	return c.String()
}

func (l *Literal) String() string {
	switch l.Kind {
	case CharLit:
		return "'" + Escape(l.Text, '\'') + "'"
	case Quoted:
		return `"` + Escape(l.Text, '"') + `"`
	}
	return l.Text
}

// Escape is the inverse of unescape. Characters that are not printable become \xHH.
func Escape(s string, quote byte) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == rune(quote) || r == '\\':
			b.WriteByte('\\')
			b.WriteByte(s[0])
		case r == utf8.RuneError && n == 1 || !strconv.IsPrint(r):
			for _, c := range []byte(s[:n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
