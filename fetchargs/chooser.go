package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// setOf returns the set of constants of p, "" if it has none, and 1 plus the Arg of the
// parameter that decides which of several sets it is: the level of an option, the family of
// a protocol. It fetches that parameter. If the function does not have it, p has no set.
func (r *resolver) setOf(p route) (name string, by int) {
	set := r.macros().Set(p.set)
	if set == nil || set.By == "" {
		return p.set, 0
	}
	if p.ret || !slices.ContainsFunc(r.fn.Params, func(param btf.Param) bool { return param.Name == set.By }) {
		return "", 0
	}
	before := len(r.errs)
	other, ok := r.fetch(want{x: &spec.Ident{Name: spec.Name{Text: set.By, Span: r.spec.Func.Span}}, hidden: true})
	r.errs = r.errs[:before]
	if !ok || other.side != &r.entry.side {
		return "", 0
	}
	return p.set, 1 + other.field().Arg
}
