package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodeFixed encodes a number whose width the format sets. For an array or a
// struct it encodes as many of them as fit into its bytes.
func (r *resolver) encodeFixed(e encoded, x spec.Expr, f *value.Format) (encoded, bool) {
	typ := e.route.typ
	e.route = lookThrough(e.route)
	p := &e.route
	size, known := btf.Size(btf.OrVoid(p.typ))
	array, isArray := btf.AsArray(p.typ)
	elem, _ := btf.ElemSize(array)
	whole := p.typ != nil && (isArray || btf.IsStruct(p.typ))
	switch {
	case p.typ != nil && (!known || f.Size > size):
		return e, r.doesNotFit(x, typ, f)
	case p.bitSize > 0:
		p.bitSize = min(p.bitSize, uint32(f.Size)*8)
		return r.encodeBits(e, x, size, f)
	case whole && (size == f.Size || f.First && elem != f.Size):
		if !p.inReg {
			break
		}
		p.typ = &btf.Int{Size: uint32(f.Size)}
		settled, ok := p.settle()
		if !ok || settled.bitOff > 0 || settled.bitSize > uint32(f.Size)*8 {
			e.typ, e.field.Type = dynevent.X8, typ
			return r.elements(e, f.Size, f.Size, x)
		}
		settled.bitSize = 0
		*p = settled
	case whole:
		e = number(e, f.Size, f)
		e.typ, e.field.Type = kernelType(f, e.typ), typ
		return r.elements(e, f.Size, size, x)
	}
	e = number(e, f.Size, f)
	e.typ, e.field.Type = kernelType(f, e.typ), typ
	if f.Name == "symbol" && !r.target.Live && r.target.Features.Symbol {
		e.typ = dynevent.Symbol
	}
	return e, true
}

// kernelType returns the type in which the kernel stores numbers of format f: typ
// unless the format requires another.
func kernelType(f *value.Format, typ dynevent.Type) dynevent.Type {
	if f.Name == "symbol" || strings.HasPrefix(f.Name, "x") || f.Name == "ip4" {
		return dynevent.Number("x", f.Size)
	}
	return typ
}

// encodeArray encodes up to 64 elements of an array of numbers.
func (r *resolver) encodeArray(e encoded, x spec.Expr, a *btf.Array, f *value.Format) (encoded, bool) {
	size, ok := btf.ElemSize(a)
	inner, nested := btf.AsArray(a.Type)
	switch {
	case nested:
		r.FailFix(x.Where(), spec.Fix{Span: x.Where(), Text: spec.Postfixed(x) + "[0]"}, "take one: ", "%s is an array of arrays of %d", x, inner.Nelems)
		return e, false
	case btf.IsStruct(a.Type):
		one := spec.Postfixed(x) + "[0]"
		if members := btf.Members(a.Type); len(members) > 0 {
			one += "." + members[0]
		}
		r.FailFix(x.Where(), spec.Fix{Span: x.Where(), Text: one}, "take one: ", "%s is an array of %s", x, btf.Name(a.Type))
		return e, false
	case a.Nelems == 0:
		r.FailFix(x.Where(), spec.Fix{Span: x.Where(), Text: spec.Postfixed(x) + "[0]"}, "take elements: ", "the length of %s is not known", x)
		return e, false
	case !ok || !slices.Contains([]int{1, 2, 4, 8}, size) || !e.route.mem && !e.route.inReg:
		r.cannotShow(e.route.typ, x)
		return e, false
	}
	p := e.route
	e.route.typ = a.Type
	e = number(e, size, f)
	e.route, e.field.Type = p, p.typ
	return r.elements(e, size, size*int(a.Nelems), x)
}

func (r *resolver) doesNotFit(x spec.Expr, t btf.Type, f *value.Format) bool {
	name := "string"
	if f != nil {
		name = f.Name
	}
	hint := ""
	switch {
	case f != nil && (f.Shape == value.KernelText || f.Shape == value.UserText):
		if size, _ := btf.Size(btf.OrVoid(t)); size == 8 && !btf.IsStruct(t) {
			r.FailFix(x.Where(), spec.Fix{Span: x.Where(), Text: "(char *)" + x.String()}, "if it is an address write ", "the format %s does not fit %s, which is %s", name, x, value.TypeName(t))
			return false
		}
		hint = "text needs a pointer or an array of char"
	case f != nil && f.Size > 0:
		hint = fmt.Sprintf("%s needs %d bytes", name, f.Size)
	}
	r.Fail(x.Where(), hint, "the format %s does not fit %s, which is %s", name, x, value.TypeName(t))
	return false
}
