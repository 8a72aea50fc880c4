package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// fromRegisters encodes the elements of an object in registers. The registers are fetched
// whole, and the right bytes are selected after reading. In the record they have the same
// order as in memory, because both are little-endian.
func (r *resolver) fromRegisters(e encoded, x spec.Expr) (encoded, bool) {
	p := e.route
	at, end := p.off, p.off+int64(e.field.Size*e.field.Count)
	base, base2 := p.base, p.base2
	if at >= 8 {
		at, end, base, base2 = at-8, end-8, base2, dynevent.Base{}
	}
	if base == (dynevent.Base{}) || at < 0 || end > 16 || end > 8 && base2 == (dynevent.Base{}) {
		r.Fail(x.Where(), "", "%s is passed in registers, and this part of it cannot be fetched", x)
		return e, false
	}
	e.field.Skip, e.field.Add = int(at), 0
	e.route = route{typ: p.typ, base: base, ret: p.ret}
	e.typ, e.count = dynevent.X64, 0
	if end > 8 {
		e.next = []dynevent.Arg{{Base: base2, Type: dynevent.X64}}
	}
	return e, true
}

// settle ends the walk into a struct in registers: the value is all of one register, or
// some bits of one or of both. Arrays are left as they are.
func (p route) settle() (route, bool) {
	if !p.inReg || btf.IsStruct(p.typ) {
		return p, true
	}
	if _, array := btf.Strip(p.typ).(*btf.Array); array {
		return p, true
	}
	size, ok := btf.Size(p.typ)
	first := uint32(p.off)*8 + p.bitOff
	bits := p.bitSize
	if bits == 0 {
		bits = uint32(size) * 8
	}
	if !ok || p.off < 0 || bits == 0 || bits > 64 || first+bits > 128 {
		return p, false
	}
	if first >= 64 {
		p.base, p.base2, first = p.base2, dynevent.Base{}, first-64
	}
	if p.base == (dynevent.Base{}) || first+bits > 64 && p.base2 == (dynevent.Base{}) {
		return p, false
	}
	p.inReg, p.off, p.bitOff, p.bitSize = false, 0, 0, 0
	if bits < 64 || first > 0 {
		p.bitOff, p.bitSize = first, bits
	}
	return p, true
}

// container returns the word of 8 to 64 bits that holds the whole bit field: its offset
// in bytes, its size in bits, and the position of the field in it, counted from the
// lowest bit. want is the size of the declared type in bits. The word is aligned, except
// in packed structs.
func (p route) container(want uint32) (off int64, size, shift uint32, ok bool) {
	sizes := []uint32{want, 8, 16, 32, 64}
	for _, size := range sizes {
		if size == 0 || size > 64 {
			continue
		}
		shift := p.bitOff % size
		if shift+p.bitSize <= size {
			return p.off + int64(p.bitOff/size*size/8), size, shift, true
		}
	}
	for _, size := range sizes[1:] {
		if shift := p.bitOff % 8; p.mem && shift+p.bitSize <= size {
			return p.off + int64(p.bitOff/8), size, shift, true
		}
	}
	return 0, 0, 0, false
}

// splitBits encodes a bit field that spans two registers, or nine bytes of memory.
func (e encoded) splitBits() encoded {
	p := &e.route
	rest, size := *p, 8
	if p.mem {
		p.off += int64(p.bitOff / 8)
		p.bitOff %= 8
		rest.off, size = p.off+8, 1
	} else {
		rest.base = p.base2
	}
	low := 64 - p.bitOff
	e.field.Size, e.field.Split = 8, int(low)
	e.typ = dynevent.Bits(low, p.bitOff, 8)
	e.next = []dynevent.Arg{rest.fetcharg().As(dynevent.Bits(p.bitSize-low, 0, size))}
	return e
}
