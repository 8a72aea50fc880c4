package route

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// choice returns the route to the first of several members that this kernel has.
func (r *Walker) choice(x *spec.Choice) (Route, bool) {
	if i, known := r.chosen[x]; known {
		return r.Walk(x.Alt(i))
	}
	of, ok := r.into(x.X, x.Span, "choose from")
	if !ok {
		return of, false
	}
	before := len(r.fn.Errs)
	var names []string
	for i := range x.Alts {
		p, ok := r.Walk(x.Alt(i))
		if ok {
			r.fn.Errs = r.fn.Errs[:before]
			if r.chosen == nil {
				r.chosen = map[*spec.Choice]int{}
			}
			r.chosen[x] = i
			r.Details = append(r.Details, fmt.Sprintf("%s is %s", x, x.Alt(i)))
			return p, true
		}
		names = append(names, x.Chosen(i))
	}
	if len(x.Alts) == 1 { // the error above says why
		return of, false
	}
	hint := r.fn.Errs[before].Hint
	r.fn.Errs = r.fn.Errs[:before]
	r.fn.Fail(x.Span, hint, "%s has none of %s", btf.Name(btf.Strip(of.Type)), strings.Join(names, ", "))
	return of, false
}

// sizeOf returns the route to the size of a type, a constant.
func (r *Walker) sizeOf(x *spec.SizeOf) (Route, bool) {
	n, ok := r.size(x)
	if ok && !r.fn.Target.Features.Immediate {
		r.fn.Fail(x.Span, "compare with it: VALUE == "+x.String(), "this kernel has no events with constants (they came with 5.5)")
		return Route{}, false
	}
	return Route{Base: dynevent.Base{Kind: dynevent.Immediate, N: int64(n)}, Type: &btf.Int{Name: "size_t", Size: 8}}, ok
}

// size returns the size of a type in bytes.
func (r *Walker) size(x *spec.SizeOf) (int, bool) {
	var t btf.Type
	of := x.Type.Text
	if x.X == nil {
		named, ok := r.TypeNamed(x.Type)
		if !ok {
			return 0, false
		}
		t = named
	} else {
		p, ok := r.Walk(x.X)
		if !ok {
			return 0, false
		}
		if p.BitSize > 0 && p.Mem {
			r.fn.Fail(x.X.Where(), "", "%s is a bit field and has no size", x.X)
			return 0, false
		}
		t, of = p.Type, x.X.String()
	}
	if t != nil {
		if n, ok := btf.Size(t); ok {
			return n, true
		}
	}
	r.fn.Fail(x.Span, "", "the size of %s is not known", of)
	return 0, false
}
