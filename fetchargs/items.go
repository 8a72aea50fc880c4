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
		for _, w := range cond.Wants(item) {
			if is, _ := r.Elapsed(w.X); is {
				PlainDuration(&r.Collector, item)
				continue
			}
			if item.Cond == nil {
				w = r.Decoded(w)
			} else if r.walk.IsConstant(w.X) {
				continue
			}
			if _, ok := r.Fetch(w); ok {
				if r.fn.Target.Deep {
					r.deeper(w)
				}
			}
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
			"it stands behind the value it is for: ", "a format cannot apply to several values")
		return false
	}
	if own := of[0].Format; own.Text != "" {
		r.Fail(item.Format.Span, "one is enough", "%s has two formats", of[0].X)
		return false
	}
	return true
}

// everything shows all parameters and the return value. Parameters that cannot be
// fetched are shown without a value.
func (r *resolver) everything() {
	r.entry.Used = true
	at := r.fn.Spec.Func.Span
	for i, param := range r.fn.Shown() {
		if param.Name == "" {
			continue
		}
		if r.showContent(i) {
			continue
		}
		if err := r.walk.ParamErrs[i]; err != nil || !r.show(r.Decoded(cond.Want{X: &spec.Ident{Name: spec.Name{Text: param.Name, Span: at}}})) {
			why := r.unshown
			if err != nil {
				why = err.Error()
			}
			r.entry.Append(value.Field{Label: param.Name, Type: param.Type, Encoding: value.Nothing, Why: why}, "")
		}
	}
	if !r.fn.Source.Returns() {
		return
	}
	if !btf.IsVoid(r.fn.Proto.Return) && !r.show(cond.Want{X: &spec.Ident{Name: spec.Name{Text: "return", Span: at}}}) {
		r.out.Notes = append(r.out.Notes, "what it returns is not shown: "+r.unshown)
	}
	r.exit.Used = true
}

// show fetches a value if it can. If it cannot, that is not an error, and r.unshown
// says why.
func (r *resolver) show(w cond.Want) bool {
	before := len(r.Errs)
	if _, fetched := r.Fetch(w); fetched && !w.Hidden {
		if r.fn.Target.Deep {
			r.deeper(w)
		}
	}
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

// deeper shows the struct that w points to.
func (r *resolver) deeper(w cond.Want) {
	if w.Format.Text != "" {
		return
	}
	if _, is := w.X.(*spec.Since); is {
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
