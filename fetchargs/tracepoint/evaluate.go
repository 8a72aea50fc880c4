package tracepoint

import (
	"strconv"
	"strings"
)

// evaluate returns the value of a constant expression of C, as they are in print fmts: numbers,
// names, casts, |, &, +, -, <<, >>, ~.
func evaluate(text string, constant func(name string) (int64, bool)) (uint64, bool) {
	e := evaluation{text: text, constant: constant}
	x, ok := e.binary(0)
	return x, ok && e.skip() == ""
}

type evaluation struct {
	text     string
	constant func(name string) (int64, bool)
	depth    int
}

// operators are those of two operands, the weakest first.
var operators = [][]string{{"|"}, {"&"}, {"<<", ">>"}, {"+", "-"}}

// deepest is how deep parentheses may be nested.
const deepest = 100

func (e *evaluation) skip() string {
	e.text = strings.TrimLeft(e.text, " \t")
	return e.text
}

func (e *evaluation) take(token string) bool {
	rest, ok := strings.CutPrefix(e.skip(), token)
	if ok {
		e.text = rest
	}
	return ok
}

// binary parses operands that are joined by operators of a level and stronger ones.
func (e *evaluation) binary(level int) (uint64, bool) {
	if level == len(operators) {
		return e.unary()
	}
	x, ok := e.binary(level + 1)
	for ok {
		op := ""
		for _, o := range operators[level] {
			if e.take(o) {
				op = o
				break
			}
		}
		if op == "" {
			break
		}
		var y uint64
		if y, ok = e.binary(level + 1); !ok {
			break
		}
		switch op {
		case "|":
			x |= y
		case "&":
			x &= y
		case "<<":
			x <<= y
		case ">>":
			x >>= y
		case "+":
			x += y
		case "-":
			x -= y
		}
	}
	return x, ok
}

func (e *evaluation) unary() (uint64, bool) {
	if e.depth++; e.depth > deepest {
		return 0, false
	}
	defer func() { e.depth-- }()
	switch {
	case e.take("~"):
		x, ok := e.unary()
		return ^x, ok
	case e.take("-"):
		x, ok := e.unary()
		return -x, ok
	case e.take("("):
		before := e.text
		if x, ok := e.binary(0); ok && e.take(")") {
			if after := e.skip(); after == "" || !isWord(after[0]) && after[0] != '(' {
				return x, true
			}
		}
		e.text = before // a cast
		typ, rest, ok := strings.Cut(e.text, ")")
		if !ok || strings.ContainsAny(typ, "(|<>&+") {
			return 0, false
		}
		e.text = rest
		return e.unary()
	}
	return e.word()
}

// word parses a number or a name.
func (e *evaluation) word() (uint64, bool) {
	text := e.skip()
	n := 0
	for n < len(text) && isWord(text[n]) {
		n++
	}
	if n == 0 {
		return 0, false
	}
	word := text[:n]
	e.text = text[n:]
	if word[0] >= '0' && word[0] <= '9' {
		x, err := strconv.ParseUint(strings.TrimRight(word, "uUlL"), 0, 64)
		return x, err == nil
	}
	x, ok := e.constant(word)
	return uint64(x), ok
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
