package fetchargs

// items resolves the parameter list. A condition in it is shown as well: the
// values it compares.
func (r *resolver) items() {
	for _, item := range r.spec.Items {
		if item.Expr != nil {
			r.field(item, item.Expr, false)
			continue
		}
		if item.Format.Text != "" && len(operands(item.Cond)) > 1 {
			r.fail(item.Format.Span, "give each value its own item", "a format cannot apply to several values")
			continue
		}
		for _, x := range operands(item.Cond) {
			if !r.isConstant(x) {
				r.field(item, x, false)
			}
		}
	}
	if len(r.spec.Items) == 0 && r.spec.If == nil {
		r.entry.used = true
	}
}

// operands are the expressions that a condition compares, in their order.
func operands(c Cond) []Expr {
	switch c := c.(type) {
	case *Compare:
		if c.Other != nil {
			return []Expr{c.X, c.Other}
		}
		return []Expr{c.X}
	case *Not:
		return operands(c.X)
	case *And:
		return append(operands(c.X), operands(c.Y)...)
	case *Or:
		return append(operands(c.X), operands(c.Y)...)
	}
	return nil
}

// everything shows all parameters and the return value. Parameters that
// cannot be fetched are shown without a value.
func (r *resolver) everything() {
	r.entry.used = true
	at := r.spec.Func.Span
	for i, param := range r.fn.Params {
		if param.Name == "" {
			continue
		}
		if err := r.paramErrs[i]; err != nil || !r.show(&Ident{Name{param.Name, at}}, false) {
			why := r.unshown
			if err != nil {
				why = err.Error()
			}
			r.entry.fields = append(r.entry.fields, Field{Label: param.Name, Type: param.Type, Encoding: Nothing, Why: why})
			r.entry.exprs = append(r.entry.exprs, "")
		}
	}
	if !isVoid(r.fn.Return) && !r.show(&Ident{Name{"return", at}}, false) {
		r.out.Notes = append(r.out.Notes, "what it returns is not shown: "+r.unshown)
	}
	r.exit.used = true
}

// show adds x if it can be fetched. If it cannot, that is no error, and
// unshown says why.
func (r *resolver) show(x *Ident, hidden bool) bool {
	before := len(r.errs)
	r.field(&Item{Expr: x, Span: x.Span}, x, hidden)
	ok := len(r.errs) == before
	if !ok {
		e := r.errs[before]
		r.unshown = e.Msg
		if e.Hint != "" {
			r.unshown += "; " + e.Hint
		}
	}
	r.errs = r.errs[:before]
	return ok
}

// pair adds the side that nothing asked for, and the return value.
func (r *resolver) pair() {
	r.entry.used, r.exit.used = true, true
	for _, f := range r.exit.fields {
		if f.Label == "return" {
			return
		}
	}
	if !isVoid(r.fn.Return) {
		r.show(&Ident{Name{"return", r.spec.Func.Span}}, true)
	}
}

// finish drops the side that nothing asked for and completes the other.
func (r *resolver) finish() *Plan {
	p := r.out
	if r.target.Pair {
		r.pair()
	}
	both := r.entry.used && r.exit.used
	if r.entry.used || !r.exit.used {
		p.Entry = r.entry.finish(both)
	}
	if r.exit.used {
		p.Return = r.exit.finish(both)
	}
	if len(r.errs) > 0 {
		return nil
	}
	return p
}
