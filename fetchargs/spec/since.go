package spec

import "slices"

// Since is since(Key, Start, End): the time since the last call with the same Key for which
// Start held; or who(Key, Start, End): the task that made that call. It is not known if End
// has held for a call with that Key meanwhile.
//
// In since(Key, Second, Other) the call is one of another function, or another event, whose
// items are the same keys. It is not known if there was a call like this one meanwhile.
type Since struct {
	Who    bool
	Key    Expr
	Second Expr // of two keys, else nil
	Start  Cond // nil for every call
	End    Cond // nil for none
	Other  *Spec
	Span
}

// Keys returns the keys.
func (e *Since) Keys() []Expr {
	if e.Second == nil {
		return []Expr{e.Key}
	}
	return []Expr{e.Key, e.Second}
}

func (e *Since) String() string {
	s := e.Word() + "(" + e.Key.String()
	if e.Other != nil {
		for _, x := range e.Keys()[1:] {
			s += ", " + x.String()
		}
		return s + ", " + e.Other.String() + ")"
	}
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

// since parses "(" EXPR ["," COND ["," COND]] ")" or "(" EXPR ["," EXPR] "," SPEC ")".
func (p *parser) since(word token) Expr {
	open := p.tok.Span
	p.next()
	e := &Since{Who: word.text == "who", Key: p.operand()}
	if e.Key == nil {
		return nil
	}
	var nodes []*node
	for p.tok.kind == "," && e.Other == nil {
		if p.isStarter(p.tok.End) {
			if e.Other = p.starter(); e.Other == nil {
				return nil
			}
			break
		}
		if len(nodes) == 2 {
			break
		}
		p.next()
		n := p.or()
		if n == nil {
			return nil
		}
		nodes = append(nodes, n)
	}
	if !p.sinceArguments(e, nodes) {
		return nil
	}
	e.Span = word.Span.To(p.tok.Span)
	if p.tok.kind == tokEOF {
		p.fail(open, "add the missing )", "this parenthesis is never closed")
		return nil
	}
	if !p.got(")") {
		hint := "write since(KEY, START, END): a key, a condition that starts the clock, and one that ends it"
		if e.Who {
			hint = "write who(KEY, START, END): a key, a condition on the call that it is about, and one that ends it"
		}
		p.fail(p.tok.Span, hint, "%s", p.describe())
		return nil
	}
	return e
}

// sinceArguments sets what follows the first key of e: conditions, or before another function a
// second key.
func (p *parser) sinceArguments(e *Since, nodes []*node) bool {
	if e.Other == nil {
		for i, n := range nodes {
			*[]*Cond{&e.Start, &e.End}[i] = n.truth()
		}
		return true
	}
	switch {
	case len(nodes) > 1:
		p.fail(nodes[1].where(), "", "%s(...) has at most two keys", e.Word())
	case len(nodes) == 1 && (nodes[0].expr == nil || nodes[0].format.Text != ""):
		p.fail(nodes[0].where(), "put conditions on "+e.Other.Func.Text+" after its keys: "+e.Other.Func.Text+"(KEY) if CONDITION", "before another function only keys can be")
	case len(nodes) == 1:
		e.Second = nodes[0].expr
	}
	if len(p.errs) == 0 && len(e.Other.Items) != len(e.Keys()) {
		p.fail(e.Other.Func.Span, "", "%s needs as many keys as there are before it: %d", e.Other.Func.Text, len(e.Keys()))
	}
	return len(p.errs) == 0
}

// isStarter reports whether [MODULE ":"] FUNC "(" begins at pos.
func (p *parser) isStarter(pos int) bool {
	name := scanFunc(p.text, pos)
	after := scanAt(p.text, name.End)
	if after.kind == ":" {
		if name = scanFunc(p.text, after.End); name.Pos > after.End {
			return false // a FORMAT or a condition, not MODULE:FUNC
		}
		after = scanAt(p.text, name.End)
	}
	switch name.text {
	case "container_of", "sizeof", "since", "who", thisCPU, perCPU:
		return false
	}
	return name.kind == tokIdent && isLetter(name.text[0]) && after.kind == "("
}

// starter parses a spec that is an argument.
func (p *parser) starter() *Spec {
	if !p.deeper() {
		return nil
	}
	defer func(inIf, entry bool, places places) {
		p.nest--
		p.inIf, p.entry, p.places = inIf, entry, places
	}(p.inIf, p.entry, p.places)
	p.tok = scanFunc(p.text, p.tok.End)
	s := &Spec{Text: p.text, Span: p.tok.Span, Parens: true}
	if !p.function(s) {
		return nil
	}
	s.Items = p.items()
	if p.tok.kind == tokIdent && p.tok.text == "if" {
		p.next()
		if n := p.or(); n != nil {
			s.If = n.truth()
		}
	}
	s.End = p.tok.Pos
	for _, item := range s.Items {
		if item.Expr == nil || item.Format.Text != "" || item.Name.Text != "" {
			p.fail(item.Span, "put conditions after if: "+s.Func.Text+"(KEY) if CONDITION", "only keys can be here")
		}
	}
	if len(p.errs) > 0 {
		return nil
	}
	return s
}

// Starters returns a spec for each other function or event that starts clocks of s or of its
// alternatives. Its calls are not shown.
func (s *Spec) Starters() (all []*Spec) {
	for alt := s; alt != nil; alt = alt.Else {
		alt.Inspect(func(x Expr) {
			e, ok := x.(*Since)
			if !ok || e.Other == nil {
				return
			}
			if starter, err := Parse(e.Other.String()); err == nil && !slices.ContainsFunc(all, func(o *Spec) bool { return o.Starts == e.Clock(s) }) {
				starter.Starts, starter.Of = e.Clock(s), s.Text
				all = append(all, starter)
			}
		})
	}
	return all
}

// WithStarters returns specs and their Starters.
func WithStarters(specs []*Spec) []*Spec {
	all := slices.Clone(specs)
	for _, s := range specs {
		all = append(all, s.Starters()...)
	}
	return all
}

// Clock returns the name of the clock of e, which has an Other. In a run it is the same only
// in the same spec for the same keys and the same Other: since and who share a clock.
func (e *Since) Clock(of *Spec) string {
	name := ""
	for _, x := range e.Keys() {
		name += x.String() + ", "
	}
	return name + e.Other.String() + " of " + of.Text
}
