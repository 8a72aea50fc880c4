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
	e.Field.Type = e.Route.Type
	size, _ := btf.Size(e.Route.Type)
	switch _, behind := w.X.(*spec.Deref); {
	case form == value.Bits && behind && size > 8 && e.Route.Mem:
		// A mask that was allocated has only as many words as the machine needs for
		// its CPUs, but at least one.
		e, err := r.elements(e, dynevent.X64, 8, w.X)
		e.Field.Whole = size
		return e, err
	case form == value.SockAddr && e.Route.Mem:
		return r.encodeSockAddr(e, w.X)
	case isNumberSize(size):
		if e.Route.InReg {
			e.Route.Type = &btf.Int{Size: uint32(size)}
			p, ok := e.Route.Settle()
			if e.Route = p; !ok || p.BitSize > 0 {
				return e, doesNotFit(w.X, e.Field.Type, nil)
			}
		}
		return Number(e, size, nil), nil
	case e.Route.InReg, form == value.IP6 && e.Route.Mem:
		return r.elements(e, dynevent.X8, size, w.X)
	case e.Route.Mem && size%8 == 0 && size <= ArrayBytes:
		return r.elements(e, dynevent.X64, size, w.X)
	}
	return r.encodeDump(e, w, nil)
}

// encodeSockAddr encodes the address of a socket in memory. If the type does not say how long
// it is, it reads as many bytes as the longest address has.
func (r *Encoder) encodeSockAddr(e Encoded, x spec.Expr) (Encoded, *spec.Error) {
	p := e.Route
	if e.Length = r.lengthOf(p); e.Length != nil && e.Length.Stored { // a value of the return
		if !r.fn.Target.Features.ReturnArgs || r.fn.Absent {
			return e, spec.Errorf(x.Where(), "", "%s is a socket address only when %s returns, and this kernel cannot fetch it then (since 6.9)", x, r.fn.Proto.Name)
		}
		p.Return, e.Length.Route.Return = true, true
	}
	size := value.SockAddrSize
	if s, ok := btf.Strip(p.Type).(*btf.Struct); ok {
		if form, _ := value.FormOf(s); form == value.SockAddr && s.Name != "sockaddr" && s.Name != "sockaddr_unsized" {
			size = min(size, int(s.Size))
		}
	}
	e.Route, e.Short = p, true
	return r.elements(e, dynevent.Number("x", WordOf(size)), size, x)
}
