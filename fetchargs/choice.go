package fetchargs

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// choice returns the route to the first of several members that this kernel has.
func (r *resolver) choice(x *spec.Choice) (route, bool) {
	if i, known := r.chosen[x]; known {
		return r.walk(x.Alt(i))
	}
	of, ok := r.into(x.X, x.Span, "choose from")
	if !ok {
		return of, false
	}
	before := len(r.Errs)
	var names []string
	for i := range x.Alts {
		p, ok := r.walk(x.Alt(i))
		if ok {
			r.Errs = r.Errs[:before]
			if r.chosen == nil {
				r.chosen = map[*spec.Choice]int{}
			}
			r.chosen[x] = i
			r.out.Details = append(r.out.Details, fmt.Sprintf("%s is %s", x, x.Alt(i)))
			return p, true
		}
		names = append(names, x.Chosen(i))
	}
	if len(x.Alts) == 1 { // the error above says why
		return of, false
	}
	hint := r.Errs[before].Hint
	r.Errs = r.Errs[:before]
	r.Fail(x.Span, hint, "%s has none of %s", btf.Name(btf.Strip(of.typ)), strings.Join(names, ", "))
	return of, false
}

// sizeOf returns the route to the size of a type, a constant.
func (r *resolver) sizeOf(x *spec.SizeOf) (route, bool) {
	n, ok := r.size(x)
	if ok && !r.target.Features.Immediate {
		r.Fail(x.Span, "compare with it: VALUE == "+x.String(), "this kernel has no events with constants (they came with 5.5)")
		return route{}, false
	}
	return route{base: dynevent.Base{Kind: dynevent.Immediate, N: int64(n)}, typ: &btf.Int{Name: "size_t", Size: 8}}, ok
}

// size returns the size of a type in bytes.
func (r *resolver) size(x *spec.SizeOf) (int, bool) {
	var t btf.Type
	of := x.Type.Text
	if x.X == nil {
		named, ok := r.typeNamed(x.Type)
		if !ok {
			return 0, false
		}
		t = named
	} else {
		p, ok := r.walk(x.X)
		if !ok {
			return 0, false
		}
		if p.bitSize > 0 && p.mem {
			r.Fail(x.X.Where(), "", "%s is a bit field and has no size", x.X)
			return 0, false
		}
		t, of = p.typ, x.X.String()
	}
	if t != nil {
		if n, ok := btf.Size(t); ok {
			return n, true
		}
	}
	r.Fail(x.Span, "", "the size of %s is not known", of)
	return 0, false
}
