package spec

import (
	"fmt"
	"strings"
)

// choice parses "(" ALT {"|" ALT} ")" after -> or ., where ALT is MEMBER {"->" MEMBER |
// "." MEMBER | "[" N "]"}.
func (p *parser) choice(x Expr, arrow bool) Expr {
	open := p.tok.Span
	c := &Choice{X: x}
	for n := 0; ; {
		if !p.inRow(&n, alternativeRow) {
			return nil
		}
		p.next() // ( or |
		alt := p.alternative(arrow)
		if alt == nil {
			return nil
		}
		c.Alts = append(c.Alts, alt)
		if p.tok.kind != "|" {
			break
		}
	}
	c.Span = x.Where().To(p.tok.Span)
	if p.tok.kind != ")" {
		if p.tok.kind == tokEOF {
			p.fail(open, "add the missing )", "this parenthesis is never closed")
		} else {
			p.fail(p.tok.Span, "separate alternative members with |: inode->(i_ctime|__i_ctime).tv_sec", "%s", p.describe())
		}
		return nil
	}
	p.next()
	return c
}

func (p *parser) alternative(arrow bool) (alt []Suffix) {
	for n := 0; ; {
		if !p.inRow(&n, memberRow) {
			return nil
		}
		if p.tok.kind != tokIdent {
			p.fail(p.tok.Span, "", "a member's name is missing: %s", p.describe())
			return nil
		}
		alt = append(alt, Suffix{Arrow: arrow, Name: Name{p.tok.text, p.tok.Span}})
		for p.next(); p.tok.kind == "["; p.next() {
			if !p.inRow(&n, memberRow) {
				return nil
			}
			open := p.tok.Span
			p.next()
			n, ok := p.index()
			if !ok {
				return nil
			}
			if p.tok.kind != "]" {
				p.fail(open, "add the missing ]", "this bracket is never closed")
				return nil
			}
			alt = append(alt, Suffix{N: n})
		}
		if p.tok.kind != "->" && p.tok.kind != "." {
			return alt
		}
		arrow = p.tok.kind == "->"
		p.next()
	}
}

// Alt returns the expression with the i-th alternative.
func (e *Choice) Alt(i int) Expr {
	x := e.X
	for _, s := range e.Alts[i] {
		if s.Name.Text == "" {
			x = &Index{X: x, N: s.N, Span: e.Span}
		} else {
			x = &Member{X: x, Arrow: s.Arrow, Name: s.Name}
		}
	}
	return x
}

// Chosen returns the text of the i-th alternative: "i_ctime.tv_sec".
func (e *Choice) Chosen(i int) string {
	var b strings.Builder
	for n, s := range e.Alts[i] {
		switch {
		case s.Name.Text == "":
			fmt.Fprintf(&b, "[%d]", s.N)
			continue
		case n == 0:
		case s.Arrow:
			b.WriteString("->")
		default:
			b.WriteByte('.')
		}
		b.WriteString(s.Name.Text)
	}
	return b.String()
}

func (e *Choice) String() string {
	op := "."
	if e.Alts[0][0].Arrow {
		op = "->"
	}
	all := make([]string, len(e.Alts))
	for i := range all {
		all[i] = e.Chosen(i)
	}
	return Postfixed(e.X) + op + "(" + strings.Join(all, "|") + ")"
}

// sizeOf parses "(" CTYPE ")" or "(" EXPR ")".
func (p *parser) sizeOf(at Span) Expr {
	e := &SizeOf{}
	open := p.tok
	t := scanAt(p.text, open.End)
	start, end, isType := t, t.End, false
	for t.kind == tokIdent || t.kind == "*" {
		isType = isType || isTypeWord(t.text) || isTypeName(t.text)
		end = t.End
		t = scanAt(p.text, end)
	}
	if isType && t.kind == ")" {
		e.Type = Name{p.text[start.Pos:end], Span{start.Pos, end}}
		p.tok = t
	} else {
		p.next()
		if e.X = p.operand(); e.X == nil {
			return nil
		}
	}
	e.Span = at.To(p.tok.Span)
	if p.tok.kind == tokEOF {
		p.fail(open.Span, "add the missing )", "this parenthesis is never closed")
		return nil
	}
	if !p.got(")") {
		p.fail(p.tok.Span, "write sizeof(struct TYPE) or sizeof(EXPR)", "%s", p.describe())
		return nil
	}
	return e
}

func (e *SizeOf) String() string {
	if e.X != nil {
		return "sizeof(" + e.X.String() + ")"
	}
	return "sizeof(" + CanonicalType(e.Type.Text) + ")"
}
