package spec

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Parse parses one spec with its alternatives. The error, if any, is an [Errors] with
// everything that is wrong with it.
//
//	SPECS = SPEC { "|" SPEC }
func Parse(text string) (*Spec, error) {
	if len(text) > MaxText {
		return nil, tooLong(text)
	}
	p := &parser{text: text}
	var first *Spec
	for last, n := &first, 0; ; {
		s := p.spec()
		if s == nil {
			return nil, p.errs
		}
		s.Nth, *last = n, s
		if last = &s.Else; p.tok.kind != "|" {
			return first, nil
		}
		if !p.inRow(&n, alternativeRow) {
			return nil, p.errs
		}
	}
}

// spec parses a spec at the beginning of the text or after "|".
//
//	SPEC = [MODULE ":"] FUNC [ "(" [ITEM {"," ITEM}] ")" ] [ "if" COND ]
func (p *parser) spec() *Spec {
	p.inIf = false
	p.tok = scanFunc(p.text, p.tok.End)
	s := &Spec{Text: p.text, Span: p.tok.Span}
	if !p.function(s) {
		return nil
	}
	if p.tok.kind == "(" {
		s.Parens = true
		s.Items = p.items()
	}
	if p.tok.kind == tokIdent && p.tok.text == "if" {
		p.next()
		p.inIf = true
		if n := p.or(); n != nil {
			s.If = n.truth()
		}
	}
	if len(p.errs) == 0 && p.tok.kind != tokEOF && p.tok.kind != "|" && !p.foreign(s) {
		hint := "write FUNC(ITEM, ...) if CONDITION"
		switch {
		case p.tok.kind == ")":
			hint = "remove this parenthesis, or add the missing ("
		case !s.Parens && s.If == nil && (p.tok.kind == "," || p.tok.kind == tokIdent):
			hint = "write FUNC(ITEM, ...), or several specs each in quotes of its own: 'vfs_read' 'vfs_write'"
		}
		p.fail(p.tok.Span, hint, "%s", p.describe())
	}
	if len(p.errs) > 0 {
		return nil
	}
	s.End = len(strings.TrimRight(p.text[:p.tok.Pos], " \t\r\n"))
	return s
}

// isElse reports whether the "|" at the current token begins another spec. After a
// condition, "|" might also be meant as arithmetic, so what follows must look like a
// spec.
func (p *parser) isElse() bool {
	name := scanFunc(p.text, p.tok.End)
	after := scanAt(p.text, name.End)
	return p.inIf && p.tok.kind == "|" && name.kind == tokIdent && isLetter(name.text[0]) && (after.kind == "(" || after.kind == ":")
}

// A parser holds one token of lookahead. Its methods are named after the productions that
// they parse. Each returns nil after an error.
type parser struct {
	text string
	tok  token
	errs Errors
	nest int
	inIf bool // after "if"

	places places
	entry  bool // the item is an entry of a function based event
}

// ErrNesting is wrapped by the error about a spec that is nested deeper than MaxNesting.
var ErrNesting = errors.New("nested too deeply")

// deeper begins a production that contains itself. Its caller takes back p.nest.
func (p *parser) deeper() bool {
	if p.nest++; p.nest > MaxNesting {
		p.failWith(p.tok.Span, ErrNesting, "", "nested too deeply")
		return false
	}
	return true
}

//go:noinline
func (p *parser) next() { p.tok = scanAt(p.text, p.tok.End) }

func (p *parser) fail(at Span, hint, format string, args ...any) {
	p.failWith(at, nil, hint, format, args...)
}

// failFix is like fail, with a hint that fixes the spec.
func (p *parser) failFix(at Span, fix Fix, lead, format string, args ...any) {
	p.fail(at, "", format, args...)
	p.errs[len(p.errs)-1].Mend(fix.Span, lead, fix.Text)
}

func (p *parser) failWith(at Span, err error, hint, format string, args ...any) {
	p.errs = append(p.errs, &Error{Text: p.text, Span: at, Msg: fmt.Sprintf(format, args...), Hint: hint, Err: err})
	if c, _ := utf8.DecodeRuneInString(p.tok.text); p.tok.kind == tokBad && strings.ContainsRune(curved, c) {
		p.curvedQuotes(p.errs[len(p.errs)-1])
	}
}

// got skips the token if it is of that kind, and reports whether it was.
//
//go:noinline
func (p *parser) got(kind tokenKind) bool {
	if p.tok.kind != kind {
		return false
	}
	p.next()
	return true
}

//go:noinline
func (p *parser) describe() string {
	if p.tok.kind == tokEOF {
		return "the spec ends here"
	}
	return fmt.Sprintf("unexpected %q", p.tok.text)
}

// values are written as calls of functions, but can only be among the values of one.
var values = []string{"container_of", "sizeof", "since", "who", "this_cpu", "per_cpu"}

// function parses [MODULE ":"] FUNC.
func (p *parser) function(s *Spec) bool {
	name, ok := p.funcName()
	if !ok {
		return false
	}
	if p.tok.kind == ":" {
		s.Module = name
		p.tok = scanFunc(p.text, p.tok.End)
		if name, ok = p.funcName(); !ok {
			return false
		}
	}
	s.Func = name
	if slices.Contains(values, name.Text) && p.tok.kind == "(" {
		p.fail(name.Span, fmt.Sprintf("write it as a value of a kernel function: FUNC(%s(...))", name.Text), "%s is not a kernel function", name.Text)
		return false
	}
	if IsGlob(s.Module.Text) {
		p.fail(s.Module.Span, "name one module, or none to search them all", "a module cannot be a glob")
		return false
	}
	if _, err := path.Match(strings.ReplaceAll(name.Text, "[!", "[^"), ""); err != nil {
		p.fail(name.Span, "write a glob with *, ?, [a-z] or [^a-z]", "%q is not a valid glob", name.Text)
		return false
	}
	if IsDigit(name.Text[0]) {
		p.fail(name.Span, "begin with a function; choose processes with -p 12,34", "%q is not a function's name", name.Text)
		return false
	}
	if strings.Contains(withoutClasses(name.Text), "-") {
		p.fail(name.Span, "write members in the list of items: FUNC(PARAM->MEMBER)", "%q is not a function's name", name.Text)
		return false
	}
	return true
}

func (p *parser) funcName() (Name, bool) {
	if p.tok.kind != tokIdent {
		hint := "begin with a function: ip_rcv(skb->len)"
		if p.tok.text == "/" {
			hint = "name a function of the kernel: tsnoop does not trace those of programs"
		}
		p.fail(p.tok.Span, hint, "a function's name is missing: %s", p.describe())
		return Name{}, false
	}
	name := Name{p.tok.text, p.tok.Span}
	p.next()
	return name, true
}

// items parses "(" [ITEM {"," ITEM}] ")". After a bad item it continues with the next
// one, so that all errors are found. It reports a missing ")" only if nothing else is
// wrong with the list.
func (p *parser) items() []*Item {
	open := p.tok.Span
	p.next()
	var items []*Item
	if p.got(")") {
		return nil
	}
	first := len(p.errs)
	for p.places = (places{n: 1}); ; {
		before := len(p.errs)
		item := p.item()
		if item != nil {
			items = append(items, item)
			p.places.take(item)
		}
		if len(items) > MaxItems {
			p.fail(item.Span, "make several specs of it", "more than %d items in a row", MaxItems)
			return items
		}
		if len(p.errs) >= MaxErrors {
			return items
		}
		if len(p.errs) > before {
			p.skipItem()
		} else if p.tok.kind != "," && p.tok.kind != ")" && p.tok.kind != tokEOF && !p.isPipe() {
			if p.tok.kind == tokIdent && p.tok.text == "if" {
				p.failFix(p.tok.Span, Fix{Span{p.tok.Pos, p.tok.Pos}, ")"}, "close the list of items first: ", "%s", p.describe())
				return items
			}
			p.fail(p.tok.Span, "separate items with commas: FUNC(ITEM, ITEM)", "%s", p.describe())
			p.skipItem()
		}
		switch {
		case p.pipe():
		case p.got(","):
			p.places.comma()
		case p.got(")"):
			return items
		default:
			if len(p.errs) == first+1 && p.errs[first].Pos == len(p.text) {
				p.errs = p.errs[:first] // the missing ) is the better error
			}
			if len(p.errs) == first {
				p.fail(open, "add the missing )", "this parenthesis is never closed")
			}
			return items
		}
	}
}

// skipItem skips to the comma or parenthesis that ends the current item.
func (p *parser) skipItem() {
	for depth := 0; p.tok.kind != tokEOF; p.next() {
		switch p.tok.kind {
		case "(":
			depth++
		case ")":
			if depth == 0 {
				return
			}
			depth--
		case ",":
			if depth == 0 {
				return
			}
		}
	}
}

// item parses [NAME "="] (EXPR | COND) [":" FORMAT], or an entry of a function based
// event. For the entry NULL it returns nil.
func (p *parser) item() *Item {
	item := &Item{Span: p.tok.Span}
	if p.entry = p.isTyped() || p.isSkip(); p.isSkip() {
		p.places.taken = true
		p.next()
		return nil
	}
	if p.tok.kind == tokIdent {
		if after := scanAt(p.text, p.tok.End); after.kind == "=" && !p.isValue(after.End) {
			item.Name = Name{p.tok.text, p.tok.Span}
			p.next()
			p.next()
		}
	}
	if p.isTyped() {
		return p.typed(item)
	}
	n := p.or()
	if n == nil {
		return nil
	}
	item.Expr, item.Cond = n.expr, n.cond
	item.Span = item.Span.To(n.where())
	item.Format = n.format
	if item.Format.Text == "" && p.tok.kind == ":" {
		if item.Format = p.format(); item.Format.Text == "" {
			return nil
		}
	}
	item.Span.End = max(item.Span.End, item.Format.End)
	return item
}

// isValue reports whether only a value can follow at pos, so that "=" is meant to
// compare.
func (p *parser) isValue(pos int) bool {
	t := scanAt(p.text, pos)
	switch t.kind {
	case "~", "<", ">":
		return true
	case tokNumber, tokQuoted:
		return !comparing[scanAt(p.text, t.End).kind]
	}
	return false
}

// formats are the words that may follow an item's colon. This package does not know what
// they mean.
var formats = strings.Fields(`x d u o c sym errno time ago agoboot s string us ustring mac ip6 ip4 be32 port be16 hex
	u8 u16 u32 u64 s8 s16 s32 s64 x8 x16 x32 x64 char symbol dev userdev id addr bits jiffies percpu path sockaddr str`)

// FormatsHint lists FORMATs, which are names, and those that are not in a list.
func FormatsHint(names []string) string {
	return "choose a FORMAT: " + strings.Join(names, " ") + " %pd %pD and names of constants, such as open or signal: tsnoop help spec"
}

// format parses ":" FORMAT ["[" N "]"]. The text of the result is empty after an error.
func (p *parser) format() Name {
	p.next()
	if p.tok.kind != tokIdent && (p.tok.kind != tokReg || len(p.tok.text) == 1) {
		p.fail(p.tok.Span, FormatsHint(formats), "a format is missing: %s", p.describe())
		return Name{}
	}
	name := Name{p.tok.text, p.tok.Span}
	p.next()
	if open := p.tok; p.got("[") {
		if p.tok.kind != tokNumber {
			p.fail(p.tok.Span, "give the number of elements, or of bytes of text: [16]", "a count must be a number")
			return Name{}
		}
		n, ok := p.index()
		if !ok {
			return Name{}
		}
		if p.tok.kind != "]" {
			p.fail(open.Span, "add the missing ]", "this bracket is never closed")
			return Name{}
		}
		name = Name{fmt.Sprintf("%s[%d]", name.Text, n), name.Span.To(p.tok.Span)}
		p.next()
	}
	return name
}
