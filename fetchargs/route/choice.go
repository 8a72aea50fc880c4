package route

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// choice returns the route to the first of several members that this kernel has.
func (r *Walker) choice(x *spec.Choice) (Route, *spec.Error) {
	if i, known := r.chosen[x]; known {
		return r.chose(x, i)
	}
	of, err := r.into(x.X, x.Span, "choose from")
	if err != nil {
		return of, err
	}
	var first *spec.Error
	var names []string
	for i := range x.Alts {
		p, err := r.chose(x, i)
		if err == nil {
			r.chosen[x] = i
			return p, nil
		}
		first = cmp.Or(first, err)
		names = append(names, x.Chosen(i))
	}
	if len(x.Alts) == 1 {
		return of, first
	}
	return of, spec.Errorf(x.Span, first.Hint, "%s has none of %s", btf.Name(btf.Strip(of.Type)), strings.Join(names, ", "))
}

// chose returns the route to the i-th alternative.
func (r *Walker) chose(x *spec.Choice, i int) (Route, *spec.Error) {
	p, err := r.Walk(x.Alt(i))
	if err != nil {
		return Route{}, err
	}
	return p.remark(Detail, fmt.Sprintf("%s is %s", x, x.Alt(i))), nil
}

// sizeOf returns the route to the size of a type, a constant.
func (r *Walker) sizeOf(x *spec.SizeOf) (Route, *spec.Error) {
	n, err := r.size(x)
	if err == nil && !r.fn.Target.Features.Immediate {
		return Route{}, spec.Errorf(x.Span, "compare with it: VALUE == "+x.String(), "this kernel has no events with constants (they came with 5.5)")
	}
	return Route{Base: dynevent.Base{Kind: dynevent.Immediate, N: int64(n)}, Type: &btf.Int{Name: "size_t", Size: 8}}, err
}

// size returns the size of a type in bytes.
func (r *Walker) size(x *spec.SizeOf) (int, *spec.Error) {
	var t btf.Type
	of := x.Type.Text
	if x.X == nil {
		named, err := r.TypeNamed(x.Type)
		if err != nil {
			return 0, err
		}
		t = named
	} else {
		p, err := r.Walk(x.X)
		if err != nil {
			return 0, err
		}
		if p.BitSize > 0 && p.Mem {
			return 0, spec.Errorf(x.X.Where(), "", "%s is a bit field and has no size", x.X)
		}
		t, of = p.Type, x.X.String()
	}
	if t != nil {
		if n, ok := btf.Size(t); ok {
			return n, nil
		}
	}
	return 0, spec.Errorf(x.Span, "", "the size of %s is not known", of)
}
