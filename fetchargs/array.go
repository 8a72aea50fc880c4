package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodeFixed encodes a number whose width the format sets. For an array or a
// struct it encodes as many of them as fit into its bytes.
func (r *resolver) encodeFixed(e encoded, x spec.Expr, f *value.Format) (encoded, bool) {
	typ := e.route.typ
	e.route = lookThrough(e.route)
	p := &e.route
	size, known := btf.Size(orVoid(p.typ))
	array, isArray := arrayOf(p.typ)
	elem, _ := elemSize(array)
	whole := p.typ != nil && (isArray || isStruct(p.typ))
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
			e.typ, e.field.Type = x8Type, typ
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
		e.typ = symbolType
	}
	return e, true
}

// kernelType returns the type in which the kernel stores numbers of format f: typ
// unless the format requires another.
func kernelType(f *value.Format, typ Type) Type {
	if f.Name == "symbol" || strings.HasPrefix(f.Name, "x") || f.Name == "ip4" {
		return numberType("x", f.Size)
	}
	return typ
}

// encodeArray encodes up to 64 elements of an array of numbers.
func (r *resolver) encodeArray(e encoded, x spec.Expr, a *btf.Array, f *value.Format) (encoded, bool) {
	size, ok := elemSize(a)
	inner, nested := arrayOf(a.Type)
	switch {
	case nested:
		r.failFix(x.Where(), spec.Fix{Span: x.Where(), Text: spec.Postfixed(x) + "[0]"}, "take one: ", "%s is an array of arrays of %d", x, inner.Nelems)
		return e, false
	case isStruct(a.Type):
		one := spec.Postfixed(x) + "[0]"
		if members := btf.Members(a.Type); len(members) > 0 {
			one += "." + members[0]
		}
		r.failFix(x.Where(), spec.Fix{Span: x.Where(), Text: one}, "take one: ", "%s is an array of %s", x, btf.Name(a.Type))
		return e, false
	case a.Nelems == 0:
		r.failFix(x.Where(), spec.Fix{Span: x.Where(), Text: spec.Postfixed(x) + "[0]"}, "take elements: ", "the length of %s is not known", x)
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
		if size, _ := btf.Size(orVoid(t)); size == 8 && !isStruct(t) {
			r.failFix(x.Where(), spec.Fix{Span: x.Where(), Text: "(char *)" + x.String()}, "if it is an address write ", "the format %s does not fit %s, which is %s", name, x, typeName(t))
			return false
		}
		hint = "text needs a pointer or an array of char"
	case f != nil && f.Size > 0:
		hint = fmt.Sprintf("%s needs %d bytes", name, f.Size)
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

// leaf returns the type of the elements of a, or for an array of arrays, of the
// innermost ones.
func leaf(a *btf.Array) btf.Type {
	for {
		inner, nested := arrayOf(a.Type)
		if !nested {
			return a.Type
		}
		a = inner
	}
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
