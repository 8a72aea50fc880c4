package spec

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// A node is an expression or a condition. Only after it is parsed is it known which,
// because both may be in parentheses.
type node struct {
	expr   Expr
	cond   Cond
	format Name // the format that follows expr, if any
	parens bool // it was in parentheses
}

func (n *node) where() Span {
	if n.expr != nil {
		return n.expr.Where()
	}
	return n.cond.Where()
}

// truth returns n as a condition: an expression alone means "is not zero".
func (n *node) truth() Cond {
	if n.cond != nil {
		return n.cond
	}
	at := n.expr.Where()
	return &Compare{X: n.expr, Format: n.format, Op: "!=", Value: &Literal{Kind: Number, Text: "0", Int: new(big.Int), Span: Span{at.End, at.End}}}
}

// postfix parses PRIMARY { "->" MEMBER | "." MEMBER | "[" N "]" | "[" N ".." N "]" },
// where several members may be in parentheses: see choice.
func (p *parser) postfix(x Expr) Expr {
	for n := 0; ; {
		op := p.tok
		if (op.kind == "->" || op.kind == "." || op.kind == "[") && !p.inRow(&n, memberRow) {
			return nil
		}
		switch op.kind {
		case "->", ".":
			p.next()
			if p.tok.kind == "(" {
				if x = p.choice(x, op.kind == "->"); x == nil {
					return nil
				}
				continue
			}
			if p.tok.kind != tokIdent {
				p.fail(p.tok.Span, "", "a member's name is missing after %s: %s", op.text, p.describe())
				return nil
			}
			x = &Member{X: x, Arrow: op.kind == "->", Name: Name{p.tok.text, p.tok.Span}}
			p.next()
		case "[":
			if x = p.element(x); x == nil {
				return nil
			}
		default:
			return x
		}
	}
}

// element parses "[" N "]" or "[" N ".." N "]" after x.
func (p *parser) element(x Expr) Expr {
	open := p.tok
	p.next()
	first, ok := p.signed()
	if !ok {
		return nil
	}
	last, isRange := first, p.tok.kind == ".."
	if p.tok.kind == ":" {
		p.failFix(p.tok.Span, Fix{p.tok.Span, ".."}, "write ", "a range has no colon")
		return nil
	}
	if isRange {
		p.next()
		if last, ok = p.signed(); !ok {
			return nil
		}
	}
	if p.tok.kind != "]" {
		p.fail(open.Span, "add the missing ]", "this bracket is never closed")
		return nil
	}
	at := x.Where().To(p.tok.Span)
	p.next()
	if isRange {
		return &Range{X: x, First: first, Last: last, Span: at}
	}
	return &Index{X: x, N: first, Span: at}
}

// signed parses an index that may be negative.
func (p *parser) signed() (int64, bool) {
	neg := p.got("-")
	n, ok := p.index()
	if neg {
		n = -n
	}
	return n, ok
}

func (p *parser) index() (int64, bool) {
	if p.tok.kind == tokNumber {
		if n, err := strconv.ParseInt(p.tok.text, 0, 32); err == nil {
			p.next()
			return n, true
		}
	}
	p.fail(p.tok.Span, "write a number, such as [3]: the kernel can only add constants", "an index must be a number")
	return 0, false
}

// unary parses "*" EXPR | "&" EXPR | "(" CTYPE ")" EXPR | POSTFIX, or a condition in
// parentheses.
func (p *parser) unary() *node {
	if !p.deeper() {
		return nil
	}
	defer func() { p.nest-- }()
	op := p.tok
	switch {
	case op.kind == "*" || op.kind == "&":
		p.next()
		x := p.operand()
		if x == nil {
			return nil
		}
		if op.kind == "*" {
			return &node{expr: &Deref{x, op.To(x.Where())}}
		}
		return &node{expr: &Addr{x, op.To(x.Where())}}
	case op.kind == "(" && p.castEnd() > 0:
		typ := p.castType()
		x := p.operand()
		if x == nil {
			return nil
		}
		return &node{expr: &Cast{typ, x, op.To(x.Where())}}
	case op.kind == "(":
		return p.parens()
	}
	x := p.primary()
	if x == nil {
		return nil
	}
	if x = p.postfix(x); x == nil {
		return nil
	}
	return &node{expr: x}
}

// operand parses the expression to which a prefix operator applies.
func (p *parser) operand() Expr {
	at := p.tok.Span
	n := p.unary()
	if n == nil {
		return nil
	}
	if n.expr == nil || n.format.Text != "" {
		p.fail(at.To(n.where()), "", "a condition has no members and no address")
		return nil
	}
	return n.expr
}

// parens parses "(" EXPR ")" with what may follow it, or "(" COND ")".
func (p *parser) parens() *node {
	open := p.tok.Span
	if p.looseCast() {
		return nil
	}
	p.next()
	n := p.or()
	if n == nil {
		return nil
	}
	if !p.got(")") {
		if p.tok.kind == tokEOF {
			p.fail(open, "add the missing )", "this parenthesis is never closed")
		} else {
			p.fail(p.tok.Span, "", "%s", p.describe())
		}
		return nil
	}
	n.parens = true
	if n.expr == nil || n.format.Text != "" {
		return n
	}
	x := p.postfix(n.expr)
	if x == nil {
		return nil
	}
	return &node{expr: x}
}

// primary parses PARAM | "return" | "container_of(...)" | "sizeof(...)" | "since(...)"
// | "who(...)" | "this_cpu(...)" | "per_cpu(...)" | "@" SYMBOL | "$comm" | "$argN" | "$stackN" | "%REG".
func (p *parser) primary() Expr {
	tok := p.tok
	name := Name{tok.text, tok.Span}
	switch tok.kind {
	case tokIdent:
		p.next()
		if tok.text == "container_of" && p.tok.kind == "(" {
			return p.containerOf(tok.Span)
		}
		if tok.text == "sizeof" && p.tok.kind == "(" {
			return p.sizeOf(tok.Span)
		}
		if p.tok.kind == "(" && (tok.text == "since" || tok.text == "who") {
			return p.since(tok)
		}
		if p.tok.kind == "(" && (tok.text == thisCPU || tok.text == perCPU) {
			return p.perCPU(tok)
		}
		if p.called(tok) || p.readsPerCPU(tok) {
			return nil
		}
		if tok.text == "not" && p.tok.kind == tokIdent {
			p.failFix(tok.Span, Fix{Span{tok.Pos, p.tok.Pos}, "!"}, "write ", "conditions are not negated with not")
			return nil
		}
		return &Ident{name}
	case tokSymbol, tokDollar, tokReg:
		if len(tok.text) == 1 {
			p.fail(tok.Span, "", "a name is missing after %s", tok.text)
			return nil
		}
		p.next()
		if tok.kind == tokSymbol {
			return &Symbol{Name{tok.text[1:], tok.Span}}
		}
		return &Builtin{name}
	}
	hint := ""
	if tok.kind == tokNumber || tok.kind == tokQuoted {
		hint = "put the value on the right: skb->len > 100"
	}
	if comparing[tok.kind] {
		hint = "put the spec in single quotes: in double ones the shell takes $comm for its own"
	}
	p.fail(tok.Span, hint, "an expression is missing: %s", p.describe())
	return nil
}

// containerOf parses "(" EXPR "," CTYPE "," MEMBER ")".
func (p *parser) containerOf(at Span) Expr {
	const form = "write container_of(EXPR, struct TYPE, MEMBER)"
	p.next()
	x := p.operand()
	if x == nil {
		return nil
	}
	c := &ContainerOf{X: x}
	if !p.got(",") {
		p.fail(p.tok.Span, form, "%s", p.describe())
		return nil
	}
	start := p.tok
	for p.tok.kind == tokIdent || p.tok.kind == "*" {
		c.Type = Name{p.text[start.Pos:p.tok.End], start.To(p.tok.Span)}
		p.next()
	}
	if c.Type.Text == "" || !p.got(",") {
		p.fail(p.tok.Span, form, "%s", p.describe())
		return nil
	}
	for n := 0; ; {
		if p.tok.kind != tokIdent {
			p.fail(p.tok.Span, form, "%s", p.describe())
			return nil
		}
		if !p.inRow(&n, memberRow) {
			return nil
		}
		c.Member = append(c.Member, Name{p.tok.text, p.tok.Span})
		if p.next(); !p.got(".") {
			break
		}
	}
	c.Span = at.To(p.tok.Span)
	if !p.got(")") {
		p.fail(p.tok.Span, form, "%s", p.describe())
		return nil
	}
	return c
}

// typeWords are C types, or the first words of C types, that cannot be parameters.
var typeWords = strings.Fields("struct union enum const volatile unsigned signed int char short long void bool _Bool")

func isTypeWord(word string) bool { return slices.Contains(typeWords, word) }

// isTypeName reports whether name is used only for types: u32, __be16, size_t.
func isTypeName(name string) bool {
	if strings.HasSuffix(name, "_t") {
		return true
	}
	switch strings.TrimPrefix(name, "__") {
	case "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "be16", "be32", "be64", "le16", "le32", "le64":
		return true
	}
	return false
}

// castEnd returns the end of a "(" CTYPE ")" at the current token, 0 if there is none.
// "(name) x" is a cast, but "(name) & 4" is not: C would need to know whether name is a
// type, and people who write it mean a mask.
func (p *parser) castEnd() int {
	t := scanAt(p.text, p.tok.End)
	if t.kind != tokIdent {
		return 0
	}
	name := t.text
	sure := isTypeWord(name)
	for t.kind == tokIdent {
		t = scanAt(p.text, t.End)
	}
	for t.kind == "*" || t.kind == tokIdent && (t.text == "const" || t.text == "volatile") {
		sure = true
		t = scanAt(p.text, t.End)
	}
	if t.kind != ")" {
		return 0
	}
	switch after := scanAt(p.text, t.End); after.kind {
	case tokIdent:
		sure = sure || after.text != "if"
	case tokDollar, tokReg, tokSymbol, "(", "*":
		sure = true
	case "&":
		sure = sure || isTypeName(name) && scanAt(p.text, after.End).kind != tokNumber
	}
	if !sure {
		return 0
	}
	return t.End
}

// castType parses "(" CTYPE ")", which castEnd has found.
func (p *parser) castType() Name {
	end := p.castEnd()
	from, to := p.tok.End, end-1
	text := p.text[from:to]
	trimmed := strings.TrimSpace(text)
	from += strings.Index(text, trimmed)
	p.tok = scanAt(p.text, end)
	return Name{trimmed, Span{from, from + len(trimmed)}}
}
