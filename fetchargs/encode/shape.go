package encode

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodeShape is like encode, for a FORMAT that says what to fetch and not only how
// to show a number.
func (r *Encoder) encodeShape(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	p, x := e.Route, w.X
	switch f.Shape {
	case value.KernelText, value.UserText:
		if w.Pointer && btf.Pointee(p.Type) != nil {
			return Number(e, 8, nil), nil
		}
		return r.EncodeText(e, x, f)
	case value.ByteArray:
		if f.Form == value.SockAddr {
			return r.encodeSockAddr(e, x)
		}
		return r.encodeBytes(e, x, f)
	case value.FilePath:
		return r.encodePath(e, w, f)
	case value.LastName:
		return r.encodeLastName(e, w, f)
	case value.Stamp:
		return r.encodeAge(e, x, f)
	case value.RawMemory:
		if size, _ := btf.Size(btf.OrVoid(p.Type)); p.Mem && p.BitSize == 0 && size > dynevent.MaxElements && !w.Hidden {
			e.Field.Type, e.Field.Encoding, e.Field.Size, e.Field.Whole = p.Type, value.Dumped, 1, size
			e.Type = dynevent.X64
			return e, nil
		}
		return r.encodeRaw(e, x, f)
	}
	return r.encodeFixed(e, x, f)
}

// encodeBytes encodes an address of f.Size bytes: an array or a struct in place, or
// the bytes that a pointer points to.
func (r *Encoder) encodeBytes(e Encoded, x spec.Expr, f *value.Format) (Encoded, *spec.Error) {
	p := e.Route
	if p.Type == nil || btf.Pointee(p.Type) != nil {
		if err := p.IsOfOne(x); err != nil {
			return e, err
		}
		target := r.walker.Pointee(p.Type)
		p = p.Follow(x.String(), target)
		if target == nil || btf.IsByte(target) || btf.IsVoid(target) {
			target = nil
		}
		p.Type = target
	}
	if size, known := btf.Size(btf.OrVoid(p.Type)); !p.Mem && !p.InReg || p.Type != nil && known && size < f.Size || p.Type != nil && !known {
		return e, doesNotFit(x, e.Route.Type, f)
	}
	return r.bytesOf(e, p, f.Size, x)
}

// encodeRaw encodes the bytes of an object, at most 64.
func (r *Encoder) encodeRaw(e Encoded, x spec.Expr, f *value.Format) (Encoded, *spec.Error) {
	p := e.Route
	size, known := btf.Size(btf.OrVoid(p.Type))
	switch {
	case p.BitSize > 0 && !p.Mem && p.BitSize%8 == 0: // a member of a struct in a register
		return r.encodeBits(e, x, size, value.FormatNamed("x"))
	case p.Type == nil && !p.Mem:
		return Number(e, 8, value.FormatNamed("x")), nil
	case p.BitSize > 0 || !known || size == 0:
		return e, doesNotFit(x, p.Type, f)
	case !p.Mem && !p.InReg:
		return Number(e, size, value.FormatNamed("x")), nil
	}
	return r.bytesOf(e, p, size, x)
}

// bytesOf encodes n bytes at p, at most 64.
func (r *Encoder) bytesOf(e Encoded, p route.Route, n int, x spec.Expr) (Encoded, *spec.Error) {
	e.Field.Type, e.Route = e.Route.Type, p
	e.Type = dynevent.X8
	return r.elements(e, 1, n, x)
}

// elements encodes the elements of size bytes that fit into so many bytes, at most
// 64 of them. e.typ is the type of one.
func (r *Encoder) elements(e Encoded, size, bytes int, x spec.Expr) (Encoded, *spec.Error) {
	n := min(bytes/size, dynevent.MaxElements)
	e.Field.Encoding, e.Field.Size, e.Field.Count = value.Array, size, n
	if n*size < bytes {
		e.Field.Whole = bytes
	}
	if e.Route.InReg {
		return r.fromRegisters(e, x)
	}
	e.Count = n
	return e, nil
}
