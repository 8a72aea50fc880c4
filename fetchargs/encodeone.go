package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// encodeOne encodes a struct that is shown as one value.
func (r *resolver) encodeOne(e encoded, w cond.Want, form value.Form) (encoded, bool) {
	size, _ := btf.Size(e.route.typ)
	switch _, behind := w.X.(*spec.Deref); {
	case form == value.Bits && behind && size > 8 && e.route.mem:
		// A mask that was allocated has only as many words as the machine needs for
		// its CPUs, but at least one.
		e.field.Type, e.typ = e.route.typ, dynevent.X64
		e, ok := r.elements(e, 8, 8, w.X)
		e.field.Whole = size
		return e, ok
	case form == value.SockAddr && e.route.mem:
		return r.encodeSockAddr(e, w.X)
	case form == value.IP6:
		return r.encodeBytes(e, w.X, value.FormatNamed("ip6"))
	case size == 1 || size == 2 || size == 4 || size == 8:
		if e.route.inReg {
			e.route.typ = &btf.Int{Size: uint32(size)}
			p, ok := e.route.settle()
			if e.route = p; !ok || p.bitSize > 0 {
				r.cannotShow(e.route.typ, w.X)
				return e, false
			}
		}
		return number(e, size, nil), true
	case !e.route.mem:
		return r.bytesOf(e, e.route, size, w.X)
	case size%8 == 0 && size <= arrayBytes:
		e.field.Type, e.typ = e.route.typ, dynevent.X64
		return r.elements(e, 8, size, w.X)
	}
	return r.encodeDump(e, w, nil)
}

// encodeSockAddr encodes the address of a socket, in place or behind a pointer. If the
// type does not say how long it is, it reads as many bytes as the longest address has.
func (r *resolver) encodeSockAddr(e encoded, x spec.Expr) (encoded, bool) {
	p := e.route
	if p.typ == nil || btf.Pointee(p.typ) != nil {
		if !r.isOfOne(p, x) {
			return e, false
		}
		p = p.follow(x.String(), r.pointee(p.typ))
	}
	if !p.mem {
		return e, r.doesNotFit(x, e.route.typ, value.FormatNamed("sockaddr"))
	}
	if e.length = r.lengthOf(p); e.length != nil && e.length.stored {
		e.route = p
		if !r.atReturn(&e, x) {
			return e, false
		}
		p = e.route
	}
	size := value.SockAddrSize
	if s, ok := btf.Strip(btf.OrVoid(p.typ)).(*btf.Struct); ok {
		if form, _ := value.FormOf(s); form == value.SockAddr && s.Name != "sockaddr" && s.Name != "sockaddr_unsized" {
			size = min(size, int(s.Size))
		}
	}
	unit := 8
	for size%unit > 0 {
		unit /= 2
	}
	e.field.Type, e.route, e.typ, e.short = e.route.typ, p, dynevent.Number("x", unit), true
	return r.elements(e, unit, size, x)
}
