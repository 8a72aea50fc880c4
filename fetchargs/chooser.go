package fetchargs

import (
	"math"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// setOf returns the set of constants of p, "" if it has none, and 1 plus the Arg of the
// parameter that decides which of several sets it is: the level of an option, the family of
// a protocol. It fetches that parameter. If the function does not have it, p has no set.
func (r *resolver) setOf(p route.Route) (name string, by int) {
	set := r.walk.Macros().Set(p.Set)
	if set == nil || set.By == "" {
		return p.Set, 0
	}
	arg, ok := r.chooser(set.By)
	if p.Return || !ok {
		return "", 0
	}
	return p.Set, 1 + arg
}

// useOf returns when the call uses the parameter that p begins with; nil if it always does.
func (r *resolver) useOf(p route.Route) *value.Use {
	if p.Use == nil || p.Return {
		return nil
	}
	arg, ok := r.chooser(p.Use.By)
	if !ok {
		return nil
	}
	u := &value.Use{Arg: arg}
	switch p.Use.Mask {
	case "":
	case value.AllBits:
		u.Mask = math.MaxUint64
	default:
		mask, _ := r.walk.Macros().Value(p.Use.Mask)
		u.Mask = uint64(mask)
	}
	macros, not := p.Use.All()
	u.Not = not
	for _, name := range macros {
		if x, ok := r.walk.Macros().Value(name); ok { // an architecture may lack it
			u.Values = append(u.Values, uint64(x))
		}
	}
	return u
}

// chooser returns the Arg of another parameter of the function, which it fetches; false if
// it has none of that name.
func (r *resolver) chooser(name string) (arg int, ok bool) {
	if !slices.ContainsFunc(r.fn.Proto.Params, func(param btf.Param) bool { return param.Name == name }) {
		return 0, false
	}
	before := len(r.Errs)
	other, ok := r.Fetch(cond.Want{X: r.named(name), Hidden: true})
	r.Errs = r.Errs[:before]
	if !ok || other.Values != &r.entry.Values {
		return 0, false
	}
	return other.Field().Arg, true
}
