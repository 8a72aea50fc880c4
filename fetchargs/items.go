package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// items resolves the parameter list. A condition in the list also shows the values
// that it compares.
func (r *resolver) items() {
	for _, item := range r.fn.Spec.Items {
		if item.Cond != nil && !r.formats(item) {
			continue
		}
		for _, w := range cond.Shown(&r.Collector, r, item) {
			if item.Cond == nil {
				w = r.Decoded(w)
			} else if r.walk.IsConstant(w.X) {
				continue
			}
			r.fetchDeep(w)
		}
	}
	if len(r.fn.Spec.Items) == 0 && r.fn.Spec.If == nil {
		r.entry.Used = true
	}
}

// formats checks that the format of a condition belongs to its only value.
func (r *resolver) formats(item *spec.Item) bool {
	if item.Format.Text == "" {
		return true
	}
	of := cond.Operands(item.Cond)
	if len(of) > 1 {
		fixed := of[0].X.String() + ":" + item.Format.Text
		r.FailFix(item.Format.Span, spec.Fix{Span: spec.Span{Pos: of[0].X.Where().Pos, End: item.Span.End}, Text: fixed + r.fn.Spec.Text[of[0].X.Where().End:item.Format.Pos-1]},
			"put it after its value: ", "a format cannot apply to several values")
		return false
	}
	if own := of[0].Format; own.Text != "" {
		r.Fail(item.Format.Span, "leave one of them out", "%s has two formats", of[0].X)
		return false
	}
	return true
}

// everything shows all parameters and the return value. Parameters that cannot be
// fetched are shown without a value.
func (r *resolver) everything() {
	r.entry.Used = true
	for i, param := range r.fn.Shown() {
		if param.Name == "" {
			continue
		}
		if r.showContent(i) {
			continue
		}
		if err := r.walk.ParamErrs[i]; err != nil || !r.show(r.Decoded(cond.Want{X: r.named(param.Name)})) {
			why := r.unshown
			if err != nil {
				why = err.Error()
			}
			r.entry.Append(value.Field{Label: param.Name, Type: param.Type, Encoding: value.Nothing, Reason: why}, "")
		}
	}
	if !r.fn.Source.Returns() {
		return
	}
	if !btf.IsVoid(r.fn.Proto.Return) && !r.show(cond.Want{X: r.named("return")}) {
		r.out.Notes = append(r.out.Notes, "the returned value is not shown: "+r.unshown)
	}
	r.exit.Used = true
}

// named returns the name of a parameter, or "return", as an expression.
func (r *resolver) named(name string) *spec.Ident {
	return &spec.Ident{Name: spec.Name{Text: name, Span: r.fn.Spec.Func.Span}}
}

// show fetches a value if it can. If it cannot, that is not an error, and r.unshown
// says why.
func (r *resolver) show(w cond.Want) bool {
	before := len(r.Errs)
	r.fetchDeep(w)
	ok := len(r.Errs) == before
	if !ok {
		e := r.Errs[before]
		r.unshown = e.Msg
		if e.Hint != "" {
			r.unshown += "; " + e.Hint
		}
	}
	if !r.strict || !slices.ContainsFunc(r.Errs[before:], isLimit) {
		r.Errs = r.Errs[:before]
	}
	return ok
}

// fetchDeep fetches w, and with Target.Deep also shows the struct that w points to.
func (r *resolver) fetchDeep(w cond.Want) {
	_, ok := r.Fetch(w)
	_, timed := w.X.(*spec.Since)
	if !ok || timed || w.Hidden || w.Format.Text != "" || !r.fn.Target.Deep {
		return
	}
	p, _ := r.walk.Walk(w.X)
	target := r.walk.Pointee(p.Type)
	if target == nil || !btf.IsStruct(target) || p.IsPerCPU() {
		return
	}
	if size, known := btf.Size(target); !known || size == 0 {
		return
	}
	inner := cond.Want{X: &spec.Deref{X: w.X, Span: w.X.Where()}}
	if w.Name != "" {
		inner.Name = "*" + w.Name
	}
	r.show(inner)
}
