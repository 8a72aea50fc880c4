package spec

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Function based events were proposed in 2018 and never merged. What they had for
// a language is read here, too:
//
//	ENTRY  = TYPE NAME {"+" N | "[" N "]"} | TYPE [NAME "="] ADDR | TYPE EXPR | "NULL"
//	TYPE   = ["unsigned"] ATOM ["[" N "]"]
//
// An entry is about a parameter by its place: a comma goes on to the next one, |
// stays with the same, NULL skips one. An address is no parameter's and takes no
// place.

// atoms are the words that such a type is made of.
var atoms = strings.Fields("u8 u16 u32 u64 s8 s16 s32 s64 x8 x16 x32 x64 char short int long size_t symbol string")

// isSkip reports whether NULL comes as an entry of its own.
func (p *parser) isSkip() bool {
	after := scanAt(p.text, p.tok.End)
	return p.tok.text == "NULL" && (after.kind == "," || after.kind == ")" || after.kind == "|")
}

// isTyped reports whether TYPE comes, and behind it something that has the type.
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

// typeEnd is where the words of a TYPE end that begins here, 0 if none does.
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

// cInt are the words that C's integers are made of.
var cInt = map[string]bool{"unsigned": true, "signed": true, "char": true, "short": true, "int": true, "long": true}

// pipe skips the | between two entries.
func (p *parser) pipe() bool {
	if !p.isPipe() {
		return false
	}
	p.next()
	if !p.isTyped() {
		p.fail(p.tok.Span, "| goes on with the same parameter, in the form of function based events", "an entry of a function based event is missing: %s", p.describe())
	}
	return true
}

// isPipe reports whether | comes between two entries.
func (p *parser) isPipe() bool { return p.entry && p.tok.kind == "|" }

// places counts the parameters that the items of a list are about.
type places struct {
	n     int  // from 1
	taken bool // an item is about it
}

func (p *places) comma() {
	if p.taken {
		p.n++
	}
	p.taken = false
}

// take counts an item: what begins with an address is about no parameter.
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

// OfSymbol reports whether x begins with an @NAME.
func OfSymbol(x Expr) bool {
	switch x := x.(type) {
	case *Symbol:
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

// typed reads an entry that isTyped has found to be there.
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

// typedValue reads what has the type.
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
	for p.tok.kind == "+" || p.tok.kind == "[" {
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

// typedExpr reads an expression of the language, which gets the type.
func (p *parser) typedExpr(e *Typed) bool {
	e.X = p.operand()
	return e.X != nil
}

// addr reads an address of kernel memory.
func (p *parser) addr(e *Typed) bool {
	n, ok := parseNumber(p.tok.text)
	if !ok || !strings.HasPrefix(strings.ToLower(p.tok.text), "0x") || !n.IsUint64() {
		p.fail(p.tok.Span, "addresses are those of /proc/kallsyms: int total_forks=0xffffffff82354c18; a name will do: int @total_forks",
			"%q is no address", p.tok.text)
		return false
	}
	e.Addr = &Literal{Kind: Number, Text: p.tok.text, Int: new(big.Int).Set(n), Span: p.tok.Span}
	p.next()
	return true
}

// String is the entry without the NULLs before it.
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

// joined prints the items of a list, those of function based events in their places.
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
		b.WriteString(item.String())
		places.take(item)
		typed = ok
	}
	return b.String()
}
