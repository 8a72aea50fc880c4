package encode

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodeFixed encodes a number whose width the format sets. For an array or a
// struct it encodes as many of them as fit into its bytes.
func (r *Encoder) encodeFixed(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	x, typ := w.X, e.Route.Type
	e.Route = lookThrough(e.Route)
	p := &e.Route
	size, known := btf.Size(p.Type)
	array, isArray := btf.AsArray(p.Type)
	elem := 0
	if isArray {
		elem, _ = btf.Size(array.Type)
	}
	whole := p.Type != nil && (isArray || btf.IsStruct(p.Type))
	switch {
	case p.Type != nil && (!known || f.Size > size):
		return e, doesNotFit(x, typ, f)
	case p.BitSize > 0:
		p.BitSize = min(p.BitSize, uint32(f.Size)*8)
		return encodeBits(e, size, f), nil
	case whole && (size == f.Size || f.First && elem != f.Size):
		if !p.InReg {
			break
		}
		p.Type = &btf.Int{Size: uint32(f.Size)}
		settled, ok := p.Settle()
		if !ok || settled.BitOff > 0 || settled.BitSize > uint32(f.Size)*8 {
			e.Field.Type = typ
			return r.elements(e, dynevent.Number("x", f.Size), f.Size, x)
		}
		settled.BitSize = 0
		*p = settled
	case whole:
		e = Number(e, f.Size, f)
		e.Field.Type = typ
		return r.elements(e, e.Type, size, x)
	}
	e = Number(e, f.Size, f)
	e.Field.Type = typ
	if f.Name == "symbol" && !r.fn.Target.Live && r.fn.Target.Features.Symbol {
		e.Type = dynevent.Symbol
	}
	return e, nil
}

// encodeArray encodes up to 64 elements of an array of numbers.
func (r *Encoder) encodeArray(e Encoded, x spec.Expr, a *btf.Array, f *value.Format) (Encoded, *spec.Error) {
	size, ok := btf.Size(a.Type)
	inner, nested := btf.AsArray(a.Type)
	switch {
	case nested:
		return e, spec.ErrorFix(x.Where(), spec.Fix{Span: x.Where(), Text: spec.Postfixed(x) + "[0]"}, "take one: ", "%s is an array of arrays of %d", x, inner.Nelems)
	case a.Nelems == 0:
		return e, spec.ErrorFix(x.Where(), spec.Fix{Span: x.Where(), Text: spec.Postfixed(x) + "[0]"}, "take elements: ", "the length of %s is not known", x)
	case !ok || !isNumberSize(size) || !e.Route.Mem && !e.Route.InReg:
		return e, doesNotFit(x, e.Route.Type, nil)
	}
	p := e.Route
	e.Route.Type = a.Type
	e = Number(e, size, f)
	e.Route, e.Field.Type = p, p.Type
	return r.elements(e, e.Type, size*int(a.Nelems), x)
}

// doesNotFit returns the error that x, of type t, cannot be shown in the format f, or without one
// if f is nil.
func doesNotFit(x spec.Expr, t btf.Type, f *value.Format) *spec.Error {
	if f == nil {
		return spec.Errorf(x.Where(), "", "%s is %s and has no value to show", x, value.TypeName(t))
	}
	err := spec.Errorf(x.Where(), "", "the format %s does not fit %s, which is %s", f.Name, x, value.TypeName(t))
	switch size, _ := btf.Size(t); {
	case f.IsText() && size == 8 && !btf.IsStruct(t):
		err.Mend(x.Where(), "if it is an address write ", "(char *)"+x.String())
	case f.IsText():
		err.Hint = "leave out the format " + f.Name + ", which is for a pointer or an array of char"
	case f.Shape == value.FilePath:
		err.Hint = "leave out the format " + f.Name + ", which is for struct file, path and dentry"
	case f.Shape == value.Stamp:
		err.Hint = "leave out the format " + f.Name + ", which is for times in ns of 64 bits, such as start_time_ns of struct request"
	case f.Size > 0:
		err.Hint = "leave out the format " + f.Name + ", which needs " + plural.Of(f.Size, "byte")
	}
	return err
}
