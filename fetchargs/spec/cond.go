package spec

import (
	"fmt"
	"math/big"
	"net/netip"
	"strings"
)

// or parses AND {"||" AND}, where an AND is COMPARE {"&&" COMPARE}.
func (p *parser) or() *node {
	var before *node // the ANDs parsed so far
	for and := p.compare(); and != nil; {
		op := p.tok.kind
		if op == "&&" {
			p.next()
			next := p.compare()
			if next == nil {
				return nil
			}
			and = &node{cond: &And{and.truth(), next.truth()}}
			continue
		}
		if before != nil {
			and = &node{cond: &Or{before.truth(), and.truth()}}
		}
		if op != "||" {
			return and
		}
		p.next()
		before, and = and, p.compare()
	}
	return nil
}

// compare parses "!" COMPARE | OPERAND [OP VALUE], where an OPERAND is EXPR [":" FORMAT],
// or in parentheses OPERAND "&" VALUE.
func (p *parser) compare() *node {
	if !p.deeper() {
		return nil
	}
	defer func() { p.nest-- }()
	if op := p.tok; p.got("!") {
		x := p.compare()
		if x == nil {
			return nil
		}
		return &node{cond: &Not{x.truth(), op.To(x.where())}}
	}
	if p.tok.kind == tokNumber || p.tok.kind == tokQuoted || p.tok.kind == "-" && scanAt(p.text, p.tok.End).kind == tokNumber {
		p.turned()
		return nil
	}
	x := p.unary()
	if x == nil {
		return nil
	}
	if x.expr != nil && p.tok.kind == ":" {
		if x.format = p.format(); x.format.Text == "" {
			return nil
		}
	}
	op := p.tok
	if p.misspelt() {
		return nil
	}
	if !comparing[op.kind] || p.isShift() {
		if p.uncompared(x) {
			return nil
		}
		return x
	}
	c := x.comparison(Op(op.kind))
	if c == nil {
		p.fail(op.Span, "", "a condition cannot be compared")
		return nil
	}
	p.next()
	if !p.value(c) || !p.compared(c) {
		return nil
	}
	return &node{cond: c}
}

// comparing holds the operators between an expression and a value.
var comparing = map[tokenKind]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true, "&": true, "~": true}

// comparison starts a comparison of n, which is an expression, or an expression with a
// mask in parentheses. It returns nil if n is another condition.
func (n *node) comparison(op Op) *Compare {
	if n.expr != nil {
		return &Compare{X: n.expr, Format: n.format, Op: op}
	}
	if c, ok := n.cond.(*Compare); ok && n.parens && c.Op == "&" && c.Mask == nil && c.Other == nil {
		return &Compare{X: c.X, Format: c.Format, Mask: c.Value, Op: op}
	}
	return nil
}

// compared checks what follows a comparison.
func (p *parser) compared(c *Compare) bool {
	at := c.Where()
	switch op := p.tok; {
	case op.kind == ":" && c.Other == nil && c.Format.Text == "" && p.ownFormat():
		c.Format = p.format()
		return c.Format.Text != ""
	case comparing[op.kind] && op.kind != "~" && op.kind != "&" && c.Op == "&" && c.Other == nil && !p.isShift():
		p.failFix(op.Span, Fix{at, "(" + c.String() + ")"}, "put the mask in parentheses: ", "& does not bind tighter than %s", op.text)
		return false
	case comparing[op.kind] && !p.isShift():
		p.fail(op.Span, "join conditions with && and ||", "a condition cannot be compared")
		return false
	case p.isArithmetic():
		return p.computed(c)
	}
	return !p.isWordFor(p.tok)
}

// ownFormat reports whether a format after a comparison belongs to the value before it,
// and not to the whole item.
func (p *parser) ownFormat() bool {
	after := scanAt(p.text, scanAt(p.text, p.tok.End).End)
	return p.inIf || after.kind == "&&" || after.kind == "||"
}

// value parses the right side of a comparison: a literal or an expression.
func (p *parser) value(c *Compare) bool {
	start := p.tok
	if l := scanAddress(p.text, start.Pos); l != nil {
		c.Value = l
		p.tok = scanAt(p.text, l.End)
		return p.prefix(l)
	}
	if l := scanTime(p.text, start.Pos); l != nil {
		c.Value = l
		p.tok = scanAt(p.text, l.End)
		return true
	}
	if p.unquoted(c.Op) {
		return false
	}
	neg := p.got("-")
	switch tok := p.tok; {
	case tok.kind == tokNumber:
		return p.number(c, start, neg)
	case tok.kind == tokQuoted && !neg:
		return p.quoted(c)
	case tok.kind == tokIdent && (neg || !continues(scanAt(p.text, tok.End))):
		p.next()
		c.Value = &Literal{Kind: Word, Text: tok.text, Span: start.To(tok.Span)}
		if neg {
			c.Value.Text = "-" + tok.text
		}
		return true
	case neg:
		p.fail(tok.Span, "", "a number is missing after -: %s", p.describe())
		return false
	}
	return p.other(c)
}

// other parses an expression on the right side of a comparison.
func (p *parser) other(c *Compare) bool {
	n := p.unary()
	if n == nil {
		return false
	}
	if n.expr == nil || n.format.Text != "" {
		p.fail(n.where(), "", "a condition cannot be compared")
		return false
	}
	if c.Mask != nil {
		p.fail(n.where(), "", "a masked value can be compared only with numbers")
		return false
	}
	c.Other = n.expr
	if id, ok := n.expr.(*Ident); ok { // (name) means name
		c.Value, c.Other = &Literal{Kind: Word, Text: id.Text, Span: id.Span}, nil
		return true
	}
	if p.tok.kind == ":" {
		c.OtherFormat = p.format()
		return c.OtherFormat.Text != ""
	}
	return true
}

// prefix checks the length of an address prefix.
func (p *parser) prefix(l *Literal) bool {
	if l.Bits < 0 {
		p.fail(l.Span, fmt.Sprintf("write a length from 1 to %d after the /", 8*len(l.Bytes)), "there is no such prefix")
		return false
	}
	if l.Bits == 0 {
		return true
	}
	addr, _ := netip.AddrFromSlice(l.Bytes)
	if whole := netip.PrefixFrom(addr, l.Bits).Masked(); whole.Addr() != addr {
		p.failFix(l.Span, Fix{l.Span, whole.String()}, "write ", "%s has bits set after the prefix", l.Text)
		return false
	}
	return true
}

// continues reports whether t continues an expression that began with a name.
func continues(t token) bool {
	return t.kind == "->" || t.kind == "." || t.kind == "[" || t.kind == "("
}

func (p *parser) number(c *Compare, start token, neg bool) bool {
	tok := p.tok
	n, ok := parseNumber(tok.text)
	if !ok {
		hint := "write a number as 100, 0x64, 0144 or 0b1100100"
		if strings.ContainsAny(tok.text, "kKmMgGiB") {
			hint = "write the number of bytes, without a unit"
		}
		p.fail(tok.Span, hint, "%q is not a number", tok.text)
		return false
	}
	if neg {
		n.Neg(n)
	}
	p.next()
	c.Value = &Literal{Kind: Number, Text: tok.text, Int: n, Span: start.To(tok.Span)}
	if neg {
		c.Value.Text = "-" + tok.text
	}
	return true
}

// parseNumber parses a number in C's syntax.
func parseNumber(text string) (*big.Int, bool) {
	digits := strings.TrimRight(strings.ToLower(text), "ul")
	n, ok := new(big.Int).SetString(digits, 0)
	return n, ok && !strings.Contains(digits, "_") && !strings.HasPrefix(digits, "0o")
}

// quoted parses "text", 'text' or 'c'. Only the type of the other side decides between
// the last two, so a single quoted character is a CharLit that may still be used as text.
func (p *parser) quoted(c *Compare) bool {
	tok := p.tok
	quote := tok.text[0]
	if len(tok.text) < 2 || tok.text[len(tok.text)-1] != quote {
		p.fail(tok.Span, "add the missing "+string(quote), "this string never ends")
		return false
	}
	text, ok := unescape(tok.text[1 : len(tok.text)-1])
	if !ok {
		p.fail(tok.Span, `use the escapes \n \t \r \0 \\ \" \' and \xHH`, "unknown escape in the string")
		return false
	}
	p.next()
	c.Value = &Literal{Kind: Quoted, Text: text, Span: tok.Span}
	if quote == '\'' && len(text) == 1 {
		c.Value.Kind, c.Value.Int = CharLit, big.NewInt(int64(text[0]))
	}
	return true
}

// unescape replaces C's escapes.
func unescape(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		if s[i] == 'x' {
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return "", false
			}
			n, _ := new(big.Int).SetString(s[i+1:i+3], 16)
			b.WriteByte(byte(n.Int64()))
			i += 2
			continue
		}
		j := strings.IndexByte(`ntr0\"'`, s[i])
		if j < 0 {
			return "", false
		}
		b.WriteByte("\n\t\r\x00\\\"'"[j])
	}
	return b.String(), true
}
