package spec

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"
)

// These functions handle what people type who know C, a shell or another tracer: each
// error says how to write it here.

// turned refuses VALUE OP EXPR.
func (p *parser) turned() {
	at, c := p.tok.Span, &Compare{}
	if !p.value(c) {
		return
	}
	turn := map[tokenKind]Op{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "&": "&"}
	op, known := turn[p.tok.kind]
	if !known {
		p.fail(at, "put the value on the right: skb->len > 100", "an expression is missing: unexpected %q", p.text[at.Pos:at.End])
		return
	}
	p.next()
	n := p.unary()
	if n == nil {
		return
	}
	if c.X, c.Op = n.expr, op; c.X == nil {
		p.fail(n.where(), "", "a condition cannot be compared")
		return
	}
	p.failFix(at, Fix{at.To(n.where()), c.String()}, "write ", "the value must be on the right")
}

// misspelt refuses the comparison operators of other languages.
func (p *parser) misspelt() bool {
	after := scanAt(p.text, p.tok.End)
	op := p.tok.To(after.Span)
	right := map[string]string{"===": "==", "!==": "!=", "<>": "!=", "=~": "~", "=<": "<=", "=>": ">="}[p.text[op.Pos:op.End]]
	if right == "" {
		return false
	}
	p.failFix(op, Fix{op, right}, "write ", "%s does not compare", p.text[op.Pos:op.End])
	return true
}

// unquoted refuses text without quotes, or in those of a text processor. A shell takes the
// quotes off "f(name == "/tmp")".
func (p *parser) unquoted(op Op) bool {
	if op != "==" && op != "!=" && op != "~" {
		return false
	}
	text := p.text[p.tok.Pos:]
	if end := strings.IndexAny(text, " ,)&|\"'\\"); end >= 0 {
		text = text[:end]
	}
	at := Span{p.tok.Pos, p.tok.Pos + len(text)}
	bare := strings.Trim(text, curved)
	glob := op == "~" && strings.ContainsAny(text, "*?")
	if bare == text && !glob && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, ".") {
		return false
	}
	p.failFix(at, Fix{at, `"` + bare + `"`}, "put the spec in single quotes, the text in double ones: ", "text must be in quotes")
	return true
}

// curved are quotation marks of text processors.
const curved = "\u201c\u201d\u2018\u2019"

// curvedQuotes has an error at a curved quotation mark suggest the word without its quotes.
func (p *parser) curvedQuotes(e *Error) {
	text := p.text[p.tok.Pos:]
	word := strings.TrimLeft(text, curved)
	if end := strings.IndexAny(word, curved+" ,"); end >= 0 {
		word = word[:end]
	}
	end := strings.Index(text, word) + len(word)
	end += len(text[end:]) - len(strings.TrimLeft(text[end:], curved))
	if word == "" || !IsWord(word[0]) {
		e.Hint = "remove the quotation mark"
		return
	}
	e.Mend(Span{p.tok.Pos, p.tok.Pos + end}, "write the name without quotation marks: ", word)
}

// isWordFor refuses "and" and "or".
func (p *parser) isWordFor(op token) bool {
	sign := map[string]string{"and": "&&", "or": "||"}[op.text]
	if op.kind != tokIdent || sign == "" {
		return false
	}
	p.failFix(op.Span, Fix{op.Span, sign}, "write ", "conditions are not joined with %s", op.text)
	return true
}

// computed refuses arithmetic after a value. If it can compute the result, it suggests
// it.
func (p *parser) computed(c *Compare) bool {
	op, end := p.arithmetic()
	b := scanAt(p.text, end)
	if c.Value != nil && c.Value.Kind == Number && b.kind == tokNumber {
		if n, ok := compute(c.Value.Int, op, b.text); ok {
			p.failFix(p.tok.Span, Fix{c.Value.Span.To(b.Span), n.String()}, "write ", "values are not computed")
			return false
		}
	}
	if op == "|" && b.kind == tokIdent {
		p.failFix(p.tok.Span, Fix{b.Span, b.text + "()"}, "put parentheses after the function of another spec: ", "arithmetic is not possible")
		return false
	}
	p.fail(p.tok.Span, "compare with one number: the kernel's filter cannot compute", "arithmetic is not possible")
	return false
}

func compute(a *big.Int, op, text string) (*big.Int, bool) {
	b, ok := parseNumber(text)
	n := new(big.Int)
	switch {
	case !ok:
		return nil, false
	case op == "+":
		return n.Add(a, b), true
	case op == "-":
		return n.Sub(a, b), true
	case op == "*":
		return n.Mul(a, b), true
	case op == "|":
		return n.Or(a, b), true
	case op == "<<" && b.IsUint64() && b.Uint64() < 64:
		return n.Lsh(a, uint(b.Uint64())), true
	}
	return nil, false
}

// isShift reports whether the next two tokens are << or >>.
func (p *parser) isShift() bool {
	after := scanAt(p.text, p.tok.End)
	return (p.tok.kind == "<" || p.tok.kind == ">") && after.kind == p.tok.kind && after.Pos == p.tok.End
}

// arithmetic returns the operator at the current token, and where it ends.
func (p *parser) arithmetic() (op string, end int) {
	end = p.tok.End
	if p.isShift() {
		end++
	}
	return p.text[p.tok.Pos:end], end
}

func (p *parser) isArithmetic() bool {
	switch p.tok.kind {
	case "+", "-", "*", tokReg:
		return true
	case "|":
		return !p.isElse()
	case tokBad:
		return strings.Contains("/?^", p.tok.text)
	}
	return p.isShift()
}

// uncompared refuses text after x in place of an operator that is not one.
func (p *parser) uncompared(x *node) bool {
	op := p.tok
	after := scanAt(p.text, op.End)
	switch {
	case op.kind == "=":
		p.failFix(op.Span, Fix{op.Span, "=="}, "compare with ", "= does not compare")
	case op.kind == "!" && after.kind == "~" && x.expr != nil:
		p.unmatched(x, after)
	case p.isArithmetic():
		sign, end := p.arithmetic()
		if n, end := p.modulus(sign, end); n > 0 && x.expr != nil {
			p.failFix(op.Span, Fix{Span{x.where().Pos, end}, fmt.Sprintf("(%s & %d)", x.expr, n-1)}, "compare the lower bits, which are the remainder: ", "arithmetic is not possible")
			break
		}
		hint := "compare with a number: the kernel's filter cannot compute"
		if sign == "|" {
			hint = "join conditions with ||, test bits with &"
		}
		p.fail(op.Span, hint, "arithmetic is not possible")
	default:
		return p.isWordFor(op)
	}
	return true
}

// modulus returns N of "% N" if it is a power of two, otherwise 0, and where it ends. op
// is what is at the current token, "%" or "%N", and ends at end.
func (p *parser) modulus(op string, end int) (uint64, int) {
	text, ok := strings.CutPrefix(op, "%")
	if text == "" {
		number := scanAt(p.text, end)
		text, end = number.text, number.End
	}
	n, number := parseNumber(text)
	if !ok || !number || !n.IsUint64() || bits.OnesCount64(n.Uint64()) != 1 {
		return 0, end
	}
	return n.Uint64(), end
}

// unmatched refuses "!~".
func (p *parser) unmatched(x *node, tilde token) {
	at := p.tok.To(tilde.Span)
	c := x.comparison("~")
	p.next()
	p.next()
	if p.value(c) {
		not := &Not{X: c}
		p.failFix(at, Fix{c.Where(), not.String()}, "write ", "!~ does not compare")
	}
}

// looseCast refuses "(struct foo *x)->y", which lacks a parenthesis.
func (p *parser) looseCast() bool {
	t := scanAt(p.text, p.tok.End)
	start, end := t.Pos, t.End
	if t.kind != tokIdent || !slices.Contains(typeWords, t.text) {
		return false
	}
	for t.kind == tokIdent {
		end = t.End
		t = scanAt(p.text, t.End)
	}
	if t.kind != "*" {
		return false
	}
	for t.kind == "*" {
		end = t.End
		t = scanAt(p.text, t.End)
	}
	if t.kind != tokIdent {
		return false
	}
	// One parenthesis is missing in "((struct foo *x)->y", two in "(struct foo *x)->y".
	typ := p.text[p.tok.Pos:end] + ")"
	if strings.Count(p.text, "(") <= strings.Count(p.text, ")") {
		typ = "(" + typ
	}
	fix := Fix{p.tok.To(t.Span), typ + t.text}
	if after := scanAt(p.text, t.End); after.kind == ")" && p.text[max(0, p.tok.Pos-1)] == '(' && typ[:2] != "((" {
		fix = Fix{Span{p.tok.Pos - 1, after.End}, "(" + fix.Text + ")"}
	} else if after.kind == ")" {
		fix = Fix{p.tok.To(after.Span), fix.Text + ")"}
	}
	p.failFix(Span{start, end}, fix, "write ", "the type of a cast needs its own parentheses")
	return true
}
