package spec

// Since is since(Key, Start, End): the time since the last call with the same Key for which
// Start held; or who(Key, Start, End): the task that made that call. It is not known if End
// has held for a call with that Key meanwhile.
type Since struct {
	Who   bool
	Key   Expr
	Start Cond // nil for every call
	End   Cond // nil for none
	Span
}

func (e *Since) Where() Span { return e.Span }

func (e *Since) String() string {
	s := e.Word() + "(" + e.Key.String()
	for _, c := range e.Conds() {
		s += ", " + c.String()
	}
	return s + ")"
}

// Word returns the word before the parenthesis.
func (e *Since) Word() string {
	if e.Who {
		return "who"
	}
	return "since"
}

// Conds returns Start and End, if they are given.
func (e *Since) Conds() (all []Cond) {
	for _, c := range []Cond{e.Start, e.End} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

// since parses "(" EXPR ["," COND ["," COND]] ")".
func (p *parser) since(word token) Expr {
	open := p.tok.Span
	p.next()
	e := &Since{Who: word.text == "who", Key: p.operand()}
	if e.Key == nil {
		return nil
	}
	for _, c := range []*Cond{&e.Start, &e.End} {
		if p.tok.kind != "," {
			break
		}
		p.next()
		n := p.or()
		if n == nil {
			return nil
		}
		*c = n.truth()
	}
	e.Span = word.Span.To(p.tok.Span)
	if p.tok.kind == tokEOF {
		p.fail(open, "add the missing )", "this parenthesis is never closed")
		return nil
	}
	if !p.got(")") {
		hint := "since has a key, a condition that starts its clock, and one that ends it"
		if e.Who {
			hint = "who has a key, a condition on the call that it is about, and one that ends it"
		}
		p.fail(p.tok.Span, hint, "%s", p.describe())
		return nil
	}
	return e
}
