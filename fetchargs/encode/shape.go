package encode

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodings has for each shape of a FORMAT how such a value is fetched. Numbers have none: their
// C type decides that.
var encodings = map[value.Shape]func(*Encoder, Encoded, cond.Want, *value.Format) (Encoded, *spec.Error){
	value.FixedWidth: (*Encoder).encodeFixed,
	value.KernelText: (*Encoder).EncodeText,
	value.UserText:   (*Encoder).EncodeText,
	value.ByteArray:  (*Encoder).encodeBytes,
	value.RawMemory:  (*Encoder).encodeRaw,
	value.FilePath:   (*Encoder).encodePath,
	value.BaseName:   (*Encoder).encodeBaseName,
	value.Stamp:      (*Encoder).encodeAge,
}

// encodeBytes encodes an address of f.Size bytes: an array or a struct in place, or
// the bytes that a pointer points to.
func (r *Encoder) encodeBytes(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	p, x := e.Route, w.X
	isSockAddr := f.Form == value.SockAddr && !p.IsUntyped()
	e.Field.Type = p.Type
	if p.IsPointer() {
		var err *spec.Error
		if e.Route, err = p.Deref(x, r.walker.Pointee(p.Type)); err != nil {
			return e, err
		}
		if p = e.Route; btf.IsVoid(p.Type) || btf.IsByte(p.Type) {
			p.Type = nil
		}
	}
	switch size, known := btf.Size(p.Type); {
	case isSockAddr && p.Mem:
		return r.encodeSockAddr(e, x)
	case !p.Mem && !p.InReg, p.Type != nil && (!known || size < f.Size):
		return e, doesNotFit(x, e.Field.Type, f)
	}
	e.Route = p
	return r.elements(e, dynevent.X8, f.Size, x)
}

// encodeRaw encodes the bytes of an object. It encodes at most 64 of an object that is
// only compared.
func (r *Encoder) encodeRaw(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	p, x := e.Route, w.X
	size, known := btf.Size(p.Type)
	switch {
	case p.Mem && p.BitSize == 0 && size > dynevent.MaxElements && !w.Hidden:
		e.Field.Type, e.Field.Encoding, e.Field.Size, e.Field.Whole = p.Type, value.Dumped, 1, size
		e.Type = dynevent.X64
		return e, nil
	case p.BitSize > 0 && !p.Mem && p.BitSize%8 == 0: // a member of a struct in a register
		return encodeBits(e, size, value.FormatNamed("x")), nil
	case p.Type == nil && !p.Mem:
		return Number(e, 8, value.FormatNamed("x")), nil
	case p.BitSize > 0 || !known || size == 0:
		return e, doesNotFit(x, p.Type, f)
	case !p.Mem && !p.InReg:
		return Number(e, size, value.FormatNamed("x")), nil
	}
	e.Field.Type = p.Type
	return r.elements(e, dynevent.X8, size, x)
}

// elements encodes the elements of a type that fit into so many bytes, at most 64 of them.
func (r *Encoder) elements(e Encoded, typ dynevent.Type, bytes int, x spec.Expr) (Encoded, *spec.Error) {
	n := min(bytes/typ.Size, dynevent.MaxElements)
	e.Type, e.Field.Encoding, e.Field.Size, e.Field.Count = typ, value.Array, typ.Size, n
	if n*typ.Size < bytes {
		e.Field.Whole = bytes
	}
	if e.Route.InReg {
		return r.fromRegisters(e, x)
	}
	e.Count = n
	return e, nil
}
