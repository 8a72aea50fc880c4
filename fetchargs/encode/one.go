package encode

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodeOne encodes a struct that is shown as one value.
func (r *Encoder) encodeOne(e Encoded, w cond.Want, form value.Form) (Encoded, *spec.Error) {
	size, _ := btf.Size(e.Route.Type)
	switch _, behind := w.X.(*spec.Deref); {
	case form == value.Bits && behind && size > 8 && e.Route.Mem:
		// A mask that was allocated has only as many words as the machine needs for
		// its CPUs, but at least one.
		e.Field.Type, e.Type = e.Route.Type, dynevent.X64
		e, err := r.elements(e, 8, 8, w.X)
		e.Field.Whole = size
		return e, err
	case form == value.SockAddr && e.Route.Mem:
		return r.encodeSockAddr(e, w.X)
	case form == value.IP6:
		return r.encodeBytes(e, w.X, value.FormatNamed("ip6"))
	case size == 1 || size == 2 || size == 4 || size == 8:
		if e.Route.InReg {
			e.Route.Type = &btf.Int{Size: uint32(size)}
			p, ok := e.Route.Settle()
			if e.Route = p; !ok || p.BitSize > 0 {
				return e, CannotShow(e.Route.Type, w.X)
			}
		}
		return Number(e, size, nil), nil
	case !e.Route.Mem:
		return r.bytesOf(e, e.Route, size, w.X)
	case size%8 == 0 && size <= ArrayBytes:
		e.Field.Type, e.Type = e.Route.Type, dynevent.X64
		return r.elements(e, 8, size, w.X)
	}
	return r.encodeDump(e, w, nil)
}

// encodeSockAddr encodes the address of a socket, in place or behind a pointer. If the
// type does not say how long it is, it reads as many bytes as the longest address has.
func (r *Encoder) encodeSockAddr(e Encoded, x spec.Expr) (Encoded, *spec.Error) {
	p := e.Route
	if p.Type == nil || btf.Pointee(p.Type) != nil {
		if err := p.IsOfOne(x); err != nil {
			return e, err
		}
		p = p.Follow(x.String(), r.walker.Pointee(p.Type))
	}
	if !p.Mem {
		return e, doesNotFit(x, e.Route.Type, value.FormatNamed("sockaddr"))
	}
	if e.Length = r.lengthOf(p); e.Length != nil && e.Length.Stored {
		e.Route = p
		if err := r.atReturn(&e, x); err != nil {
			return e, err
		}
		p = e.Route
	}
	size := value.SockAddrSize
	if s, ok := btf.Strip(btf.OrVoid(p.Type)).(*btf.Struct); ok {
		if form, _ := value.FormOf(s); form == value.SockAddr && s.Name != "sockaddr" && s.Name != "sockaddr_unsized" {
			size = min(size, int(s.Size))
		}
	}
	unit := 8
	for size%unit > 0 {
		unit /= 2
	}
	e.Field.Type, e.Route, e.Type, e.Short = e.Route.Type, p, dynevent.Number("x", unit), true
	return r.elements(e, unit, size, x)
}
