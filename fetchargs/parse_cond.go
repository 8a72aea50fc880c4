package fetchargs

import (
	"math/big"
	"strings"
)

// condition reads COND where nothing else can stand.
func (p *parser) condition() Cond {
	n := p.or()
	if n == nil {
		return nil
	}
	return n.truth()
}

// or reads AND {"||" AND}.
func (p *parser) or() *node {
	x := p.and()
	for x != nil && p.tok.kind == "||" {
		p.next()
		y := p.and()
		if y == nil {
			return nil
		}
		x = &node{cond: &Or{x.truth(), y.truth()}}
	}
	return x
}

// and reads NOT {"&&" NOT}.
func (p *parser) and() *node {
	x := p.not()
	for x != nil && p.tok.kind == "&&" {
		p.next()
		y := p.not()
		if y == nil {
			return nil
		}
		x = &node{cond: &And{x.truth(), y.truth()}}
	}
	return x
}

// not reads "!" NOT | COMPARE.
func (p *parser) not() *node {
	if p.nest++; p.nest > maxNesting {
		p.failWith(p.tok.Span, errNesting, "", "nested too deeply")
		return nil
	}
	defer func() { p.nest-- }()
	if op := p.tok; p.got("!") {
		x := p.not()
		if x == nil {
			return nil
		}
		return &node{cond: &Not{x.truth(), op.to(x.where())}}
	}
	return p.compare()
}

// compare reads EXPR [OP VALUE].
func (p *parser) compare() *node {
	x := p.unary()
	if x == nil || x.cond != nil {
		return x
	}
	op := p.tok
	switch op.kind {
	case "==", "!=", "<", "<=", ">", ">=", "&", "~":
	case "=":
		p.fail(op.Span, "compare with ==", "= does not compare")
		return nil
	case "-", "+":
		p.fail(op.Span, "the kernel's filter cannot compute; compare with a number", "arithmetic is not possible")
		return nil
	default:
		return x
	}
	p.next()
	c := &Compare{X: x.expr, Op: Op(op.kind)}
	if !p.value(c) {
		return nil
	}
	return &node{cond: c}
}

// value reads what stands right of a comparison: a literal or an expression.
func (p *parser) value(c *Compare) bool {
	start := p.tok
	if bytes, end, ok := scanAddress(p.text, start.Pos); ok {
		c.Value = &Literal{Kind: Address, Text: p.text[start.Pos:end], Bytes: bytes, Span: Span{start.Pos, end}}
		p.tok = scanAt(p.text, end)
		return true
	}
	neg := p.got("-")
	switch tok := p.tok; {
	case tok.kind == tokNumber:
		return p.number(c, start, neg)
	case tok.kind == tokQuoted && !neg:
		return p.quoted(c)
	case tok.kind == tokIdent && (neg || !continues(scanAt(p.text, tok.End))):
		p.next()
		c.Value = &Literal{Kind: Word, Text: tok.text, Span: start.to(tok.Span)}
		if neg {
			c.Value.Text = "-" + tok.text
		}
		return true
	case neg:
		p.fail(tok.Span, "", "a number is missing after -: %s", p.describe())
		return false
	}
	n := p.unary()
	if n == nil {
		return false
	}
	if n.expr == nil {
		p.fail(n.where(), "", "a condition cannot be compared")
		return false
	}
	c.Other = n.expr
	if id, ok := n.expr.(*Ident); ok { // (name) is name
		c.Value, c.Other = &Literal{Kind: Word, Text: id.Text, Span: id.Span}, nil
	}
	return true
}

// continues tells whether t goes on with an expression that a name began.
func continues(t token) bool {
	return t.kind == "->" || t.kind == "." || t.kind == "[" || t.kind == "("
}

func (p *parser) number(c *Compare, start token, neg bool) bool {
	tok := p.tok
	digits := strings.TrimRight(strings.ToLower(tok.text), "ul")
	n, ok := new(big.Int).SetString(digits, 0)
	if !ok || strings.Contains(digits, "_") || strings.HasPrefix(digits, "0o") {
		hint := "numbers are 100, 0x64, 0144 or 0b1100100"
		if len(tok.text) > 1 && isDigit(tok.text[0]) && strings.ContainsAny(tok.text, "kKmMgGiB") {
			hint = "there are no units: write the number of bytes"
		}
		p.fail(tok.Span, hint, "%q is not a number", tok.text)
		return false
	}
	if neg {
		n.Neg(n)
	}
	p.next()
	c.Value = &Literal{Kind: Number, Text: tok.text, Int: n, Span: start.to(tok.Span)}
	if neg {
		c.Value.Text = "-" + tok.text
	}
	return true
}

// quoted reads "text", 'text' or 'c'. Which of the last two is meant only the
// type of the other side tells, so a single quoted character is a CharLit
// that may still serve as text.
func (p *parser) quoted(c *Compare) bool {
	tok := p.tok
	quote := tok.text[0]
	if len(tok.text) < 2 || tok.text[len(tok.text)-1] != quote {
		p.fail(tok.Span, "add the missing "+string(quote), "this string never ends")
		return false
	}
	text, ok := unescape(tok.text[1 : len(tok.text)-1])
	if !ok {
		p.fail(tok.Span, `escapes are \n \t \r \0 \\ \" \' and \xHH`, "unknown escape in the string")
		return false
	}
	p.next()
	c.Value = &Literal{Kind: Quoted, Text: text, Span: tok.Span}
	if quote == '\'' && len(text) == 1 {
		c.Value.Kind, c.Value.Int = CharLit, big.NewInt(int64(text[0]))
	}
	return true
}

// unescape undoes C's escapes.
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
