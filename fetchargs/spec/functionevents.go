package spec

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Function based events were proposed in 2018 and never merged. Their language is also
// accepted here:
//
//	ENTRY  = TYPE NAME {"+" N | "[" N "]"} | TYPE [NAME "="] ADDR | TYPE EXPR | "NULL"
//	TYPE   = ["unsigned"] ATOM ["[" N "]"]
//
// An entry belongs to a parameter by its position: a comma moves on to the next
// parameter, | stays at the same one, and NULL skips one. An entry with an address
// belongs to no parameter and takes no position.

// atoms are the words of such a type.
var atoms = strings.Fields("u8 u16 u32 u64 s8 s16 s32 s64 x8 x16 x32 x64 char short int long size_t symbol string")

// isSkip reports whether the next entry is NULL.
func (p *parser) isSkip() bool {
	after := scanAt(p.text, p.tok.End)
	return p.tok.text == "NULL" && (after.kind == "," || after.kind == ")" || after.kind == "|")
}

// isTyped reports whether a TYPE comes next, followed by something that has the type.
func (p *parser) isTyped() bool {
	end := p.typeEnd()
	if end == 0 {
		return false
	}
	t := scanAt(p.text, end)
	if t.kind == "[" {
		n := scanAt(p.text, t.End)
		closing := scanAt(p.text, n.End)
		if n.kind != tokNumber || closing.kind != "]" {
			return false
		}
		t = scanAt(p.text, closing.End)
	}
	switch t.kind {
	case tokIdent:
		return t.text != "if" && t.text != "and" && t.text != "or"
	case tokNumber, tokSymbol, tokDollar, tokReg:
		return true
	}
	return false
}

// typeEnd returns the end of the words of a TYPE at the current token, 0 if there is
// none.
func (p *parser) typeEnd() int {
	t := p.tok
	if t.kind != tokIdent || !slices.Contains(atoms, t.text) && !cInt[t.text] {
		return 0
	}
	end := t.End
	for cInt[t.text] {
		end = t.End
		t = scanAt(p.text, end)
	}
	return end
}

// cInt holds the words of C's integer types.
var cInt = map[string]bool{"unsigned": true, "signed": true, "char": true, "short": true, "int": true, "long": true}

// pipe skips the | between two entries, and reports whether there was one.
func (p *parser) pipe() bool {
	if !p.isPipe() {
		return false
	}
	p.next()
	if !p.isTyped() {
		p.fail(p.tok.Span, "write an entry of the same parameter after |: u64 a | u32 b", "an entry of a function based event is missing: %s", p.describe())
	}
	return true
}

// isPipe reports whether the current token is the | between two entries.
func (p *parser) isPipe() bool { return p.entry && p.tok.kind == "|" }

// places counts the parameters by position while the items of a list are read.
type places struct {
	n     int  // from 1
	taken bool // an item belongs to parameter n
}

func (p *places) comma() {
	if p.taken {
		p.n++
	}
	p.taken = false
}

// take records an item. An item that begins with an address or an @NAME takes no
// position.
func (p *places) take(item *Item) {
	x := item.Expr
	if e, ok := x.(*Typed); ok {
		if e.Addr != nil {
			return
		}
		x = e.X
	}
	p.taken = p.taken || !OfSymbol(x)
}

// OfSymbol reports whether x begins with an @NAME or the variable of a CPU.
func OfSymbol(x Expr) bool {
	switch x := x.(type) {
	case *Symbol, *PerCPU:
		return true
	case *Member:
		return OfSymbol(x.X)
	case *Index:
		return OfSymbol(x.X)
	case *Range:
		return OfSymbol(x.X)
	case *Deref:
		return OfSymbol(x.X)
	case *Addr:
		return OfSymbol(x.X)
	case *Cast:
		return OfSymbol(x.X)
	}
	return false
}

// typed parses an entry that isTyped has found.
func (p *parser) typed(item *Item) *Item {
	e := &Typed{}
	item.Expr = e
	start := p.tok
	end := p.typeEnd()
	e.Type = Name{strings.Join(strings.Fields(p.text[start.Pos:end]), " "), Span{start.Pos, end}}
	p.tok = scanAt(p.text, end)
	if p.tok.kind == "[" {
		p.next()
		n, err := strconv.ParseUint(p.tok.text, 0, 16)
		if err != nil || n == 0 {
			p.fail(p.tok.Span, "", "an array has at least one element")
			return nil
		}
		e.Count = int(n)
		p.next()
		p.next()
	}
	if !p.typedValue(e) {
		return nil
	}
	e.Span = Span{start.Pos, len(strings.TrimRight(p.text[:p.tok.Pos], " \t\r\n"))}
	item.Name, item.Span = e.Name, e.Span
	return item
}

// typedValue parses what has the type.
func (p *parser) typedValue(e *Typed) bool {
	tok := p.tok
	after := scanAt(p.text, tok.End)
	switch {
	case tok.kind == tokNumber:
		return p.addr(e)
	case tok.kind != tokIdent || after.kind == "->" || after.kind == "." || after.kind == "(":
		return p.typedExpr(e)
	}
	e.Name = Name{tok.text, tok.Span}
	p.next()
	if p.got("=") {
		if p.tok.kind == tokNumber {
			return p.addr(e)
		}
		return p.typedExpr(e)
	}
	e.Param = p.places.n
	for n := 0; p.tok.kind == "+" || p.tok.kind == "["; {
		if !p.inRow(&n, stepRow) {
			return false
		}
		open := p.tok
		p.next()
		n, ok := p.index()
		if !ok {
			return false
		}
		if open.kind == "[" && !p.got("]") {
			p.fail(open.Span, "add the missing ]", "this bracket is never closed")
			return false
		}
		e.Steps = append(e.Steps, Step{n, open.kind == "["})
	}
	return true
}

// typedExpr parses an expression that gets the type.
func (p *parser) typedExpr(e *Typed) bool {
	e.X = p.operand()
	return e.X != nil
}

// addr parses an address of kernel memory.
func (p *parser) addr(e *Typed) bool {
	n, ok := parseNumber(p.tok.text)
	if !ok || !strings.HasPrefix(strings.ToLower(p.tok.text), "0x") || !n.IsUint64() {
		p.fail(p.tok.Span, "write an address of /proc/kallsyms, such as int total_forks=0xffffffff82354c18, or the name: int @total_forks",
			"%q is not an address", p.tok.text)
		return false
	}
	e.Addr = &Literal{Kind: Number, Text: p.tok.text, Int: new(big.Int).Set(n), Span: p.tok.Span}
	p.next()
	return true
}

// String returns the entry without the NULLs before it.
func (e *Typed) String() string {
	s := e.Type.Text
	if e.Count > 0 {
		s += fmt.Sprintf("[%d]", e.Count)
	}
	s += " " + e.Name.Text
	if e.Name.Text != "" && e.Param == 0 {
		s += "="
	}
	switch {
	case e.Addr != nil:
		return s + e.Addr.Text
	case e.X != nil:
		return s + e.X.String()
	}
	for _, step := range e.Steps {
		if step.Read {
			s += fmt.Sprintf("[%d]", step.N)
		} else {
			s += fmt.Sprintf("+%d", step.N)
		}
	}
	return s
}

// joined returns the items of a list, with NULLs before entries of function based events
// where positions are skipped.
func joined(items []*Item) string {
	var b strings.Builder
	places, typed := places{n: 1}, false
	next := func() {
		if b.Len() > 0 {
			b.WriteString(", ")
			places.comma()
		}
	}
	for _, item := range items {
		e, ok := item.Expr.(*Typed)
		if ok && typed && (e.Param == 0 || e.Param == places.n) {
			b.WriteString(" | ")
		} else {
			next()
		}
		for ok && places.n < e.Param {
			b.WriteString("NULL")
			places.taken = true
			next()
		}
		if s := item.String(); s == "NULL" { // as a value, which skips no parameter
			b.WriteString("(NULL)")
		} else {
			b.WriteString(s)
		}
		places.take(item)
		typed = ok
	}
	return b.String()
}
