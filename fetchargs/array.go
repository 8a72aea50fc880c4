package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

// encodeFixed encodes a number whose width the format sets.
func (r *resolver) encodeFixed(e encoded, x Expr, f *format) (encoded, bool) {
	p := e.place
	size, known := btf.Size(orVoid(p.typ))
	if p.typ != nil && (!known || f.size > size) || p.inReg {
		return e, r.doesNotFit(x, p.typ, f)
	}
	e = number(e, f.size, f)
	e.field.Type = p.typ
	switch {
	case f.name == "symbol":
		e.typ = "x64"
		if !r.target.Live && r.target.Features.Symbol {
			e.typ = "symbol"
		}
	case strings.HasPrefix(f.name, "x") || f.name == "ip4":
		e.typ = fmt.Sprintf("x%d", f.size*8)
	}
	return e, true
}

// encodeArray encodes up to 64 elements of an array of numbers.
func (r *resolver) encodeArray(e encoded, x Expr, a *btf.Array, f *format) (encoded, bool) {
	size, ok := elemSize(a)
	n := min(int(a.Nelems), maxElements)
	inner, nested := arrayOf(a.Type)
	switch {
	case nested:
		r.fail(x.Where(), fmt.Sprintf("take one: %s[0]", x), "%s is an array of arrays of %d", x, inner.Nelems)
		return e, false
	case isStruct(a.Type):
		r.fail(x.Where(), fmt.Sprintf("take one: %s[0]", x), "%s is an array of %s", x, btf.Name(a.Type))
		return e, false
	case n == 0:
		r.fail(x.Where(), fmt.Sprintf("take elements: %s[0]", x), "the length of %s is not known", x)
		return e, false
	case !ok || !slices.Contains([]int{1, 2, 4, 8}, size) || !e.place.mem:
		r.cannotShow(e.place.typ, x)
		return e, false
	}
	p := e.place
	e.place.typ = a.Type
	e = number(e, size, f)
	e.place, e.field.Type = p, p.typ
	e.field.Encoding, e.field.Count = Array, n
	e.typ = fmt.Sprintf("%s[%d]", e.typ, n)
	return e, true
}

func (r *resolver) doesNotFit(x Expr, t btf.Type, f *format) bool {
	name := "string"
	if f != nil {
		name = f.name
	}
	hint := ""
	switch {
	case f != nil && (f.shape == kernelText || f.shape == userText):
		hint = fmt.Sprintf("text needs a pointer or an array of char; if this is an address: ((char *)%s):%s", x, name)
	case f != nil && f.size > 0:
		hint = fmt.Sprintf("%s needs %d bytes", name, f.size)
	}
	r.fail(x.Where(), hint, "the format %s does not fit %s, which is %s", name, x, typeName(t))
	return false
}

func arrayOf(t btf.Type) (*btf.Array, bool) {
	if t == nil {
		return nil, false
	}
	a, ok := btf.Strip(t).(*btf.Array)
	return a, ok
}

func elemSize(a *btf.Array) (int, bool) {
	if a == nil {
		return 0, false
	}
	return btf.Size(a.Type)
}

func isByte(t btf.Type) bool {
	i, ok := btf.Strip(t).(*btf.Int)
	return ok && i.Size == 1
}

func orVoid(t btf.Type) btf.Type {
	if t == nil {
		return &btf.Void{}
	}
	return t
}
