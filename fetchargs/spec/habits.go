package spec

import (
	"slices"
	"strings"
)

// These functions explain what is valid in other tracers but not here.

// foreign adds an error for what follows a spec in another language. It reports whether
// it found something.
func (p *parser) foreign(s *Spec) bool {
	at, after := p.tok, scanAt(p.text, p.tok.End)
	switch {
	case at.kind == tokIdent && slices.Contains([]string{"where", "when", "filter"}, at.text):
		p.failFix(at.Span, Fix{at.Span, "if"}, "write ", "%s", p.describe())
	case at.text == "{":
		p.fail(at.Span, "list the values in parentheses: "+s.Func.Text+"(VALUE, ...)", "nothing is run when a function is called")
	case at.text == "/" && strings.Contains(p.text, ".c:"):
		p.fail(at.Span, "name the function that contains the line", "source lines cannot be traced")
	case at.text == "/":
		p.fail(at.Span, "put conditions after if: FUNC(ITEM, ...) if CONDITION", "%s", p.describe())
	case at.kind == tokReg && at.text == "%return" && !s.Parens:
		p.failFix(at.Span, Fix{at.Span, "(return)"}, "list the returned value as an item: "+s.Func.Text, "%s", p.describe())
	case at.kind == "+" && after.kind == tokNumber && !s.Parens:
		p.fail(at.To(after.Span), "leave out the offset", "functions are traced where they begin and return, not in between")
	case at.kind == tokIdent && at.text == "in":
		p.fail(at.Span, "compare with each value: VALUE == 1 || VALUE == 2", "%s", p.describe())
	case at.kind == ":" && after.kind == tokIdent && slices.Contains([]string{"tracepoint", "t", "tp"}, s.Module.Text):
		event := s.Func.To(after.Span)
		p.failFix(s.Module.Span, Fix{s.Module.To(event), p.text[event.Pos:event.End]}, "write ", "tracepoints are named without %s:", s.Module.Text)
	case at.kind == ":" && s.Module.Text != "":
		p.fail(s.Module.Span, "name a function, or a tracepoint by its system and its name: sched:sched_switch", "tsnoop traces functions and tracepoints, not probes of programs or timers")
	default:
		return false
	}
	return true
}

// calls maps functions of other languages to the FORMAT that replaces them. Functions
// that change the byte order map to "": the byte order is known here.
var calls = map[string]string{
	"str": ":s", "kstr": ":s", "string": ":s", "kernel_string": ":s", "ustr": ":us", "user_string": ":us",
	"ksym": ":sym", "kaddr": ":sym", "buf": ":hex", "hex": ":x", "macaddr": ":mac", "ntop": ":ip4", "path": ":path",
	"errno": ":errno", "htons": "", "ntohs": "", "htonl": "", "ntohl": "", "bswap": "", "be16_to_cpu": "", "be32_to_cpu": "",
}

// called refuses a function call NAME "(" EXPR ")"; the name has been parsed.
func (p *parser) called(name token) bool {
	format, known := calls[name.text]
	if !known || p.tok.kind != "(" {
		return false
	}
	at := name.To(p.tok.Span)
	p.next()
	n := p.or()
	if n == nil {
		return true
	}
	if n.expr == nil || p.tok.kind != ")" {
		p.fail(at, "put a FORMAT after the value: VALUE:FORMAT", "no functions are called here")
		return true
	}
	at.End = p.tok.End
	lead := "write "
	if format == "" {
		lead = "leave out the call, since types such as __be16 show the byte order: "
	}
	text := p.text[n.expr.Where().Pos:n.expr.Where().End]
	p.failFix(at, Fix{at, text + format}, lead, "no functions are called here")
	return true
}
