package route

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// maxRange is the most elements of a range. No object is fetched any further.
const maxRange = value.MostOfObject

// elementRange returns the route to several elements, as an array of their own.
func (r *Walker) elementRange(x *spec.Range) (Route, *spec.Error) {
	p, elem, n, err := r.elementsOf(x.X, x, x.First)
	if err != nil {
		return p, err
	}
	as := func(first, last int64) spec.Fix {
		return spec.Fix{Span: x.Span, Text: (&spec.Range{X: x.X, First: first, Last: last}).String()}
	}
	switch {
	case x.First > x.Last:
		return p, spec.ErrorFix(x.Span, as(x.Last, x.First), "write ", "the range %d..%d goes backwards", x.First, x.Last)
	case n > 0 && (x.First < 0 || x.Last >= n):
		first := max(x.First, 0)
		if first >= n {
			first = 0
		}
		return p, spec.ErrorFix(x.Span, as(first, min(max(x.Last, 0), n-1)), "choose from ", "%s has %d elements", x.X, n)
	case x.Last-x.First >= maxRange:
		return p, spec.ErrorFix(x.Span, as(x.First, x.First+dynevent.MaxElements-1), "take fewer: ", "a range has %d elements at most", maxRange)
	}
	size, known := btf.Size(elem)
	if !known {
		return p, spec.Errorf(x.Span, "", "the size of %s is not known", btf.Name(elem))
	}
	set, text := p.Set, p.Text
	p = p.At(x.First*int64(size), &btf.Array{Type: elem, Nelems: uint32(x.Last - x.First + 1)})
	p.Set, p.Text = set, text
	return p, nil
}
