package encode

import (
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// fromRegisters encodes the elements of an object in registers. The registers are fetched
// whole, and the right bytes are selected after reading. In the record they have the same
// order as in memory, because both are little-endian.
func (r *Encoder) fromRegisters(e Encoded, x spec.Expr) (Encoded, *spec.Error) {
	p := e.Route
	at, end := p.Off, p.Off+int64(e.Field.Size*e.Field.Count)
	base, base2 := p.Base, p.Base2
	if at >= 8 {
		at, end, base, base2 = at-8, end-8, base2, dynevent.Base{}
	}
	if base == (dynevent.Base{}) || at < 0 || end > 16 || end > 8 && base2 == (dynevent.Base{}) {
		return e, spec.Errorf(x.Where(), "", "%s is passed in registers, and this part of it cannot be fetched", x)
	}
	e.Field.Skip, e.Field.Add = int(at), 0
	e.Route = route.Route{Type: p.Type, Base: base, Return: p.Return, Remarks: p.Remarks}
	e.Type, e.Count = dynevent.X64, 0
	if end > 8 {
		e.Next = []dynevent.Arg{{Base: base2, Type: dynevent.X64}}
	}
	return e, nil
}

// splitBits encodes a bit field that spans two registers, or nine bytes of memory.
func (e Encoded) splitBits() Encoded {
	p := &e.Route
	rest, size := *p, 8
	if p.Mem {
		p.Off += int64(p.BitOff / 8)
		p.BitOff %= 8
		rest.Off, size = p.Off+8, 1
	} else {
		rest.Base = p.Base2
	}
	low := 64 - p.BitOff
	e.Field.Size, e.Field.Split = 8, int(low)
	e.Type = dynevent.Bits(low, p.BitOff, 8)
	e.Next = []dynevent.Arg{rest.Arg().As(dynevent.Bits(p.BitSize-low, 0, size))}
	return e
}
