package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// fromRegisters encodes the elements of an object that lies in registers: these
// are fetched whole, and the bytes that count are chosen after reading. In the
// record they lie as the object would in memory, for both are little-endian.
func (r *resolver) fromRegisters(e encoded, x spec.Expr) (encoded, bool) {
	p := e.route
	at, end := p.off, p.off+int64(e.field.Size*e.field.Count)
	base, base2 := p.base, p.base2
	if at >= 8 {
		at, end, base, base2 = at-8, end-8, base2, Base{}
	}
	if base == (Base{}) || at < 0 || end > 16 || end > 8 && base2 == (Base{}) {
		r.fail(x.Where(), "", "%s is passed in registers, and this part of it cannot be fetched", x)
		return e, false
	}
	e.field.Skip, e.field.Add = int(at), 0
	e.route = route{typ: p.typ, base: base, ret: p.ret}
	e.typ, e.count = x64Type, 0
	if end > 8 {
		e.next = []Arg{{Base: base2, Type: x64Type}}
	}
	return e, true
}

// settle ends the way into a struct that lies in registers: the value is all
// of one of them, or some bits of one, or of both. Arrays stay where they are.
func (p route) settle() (route, bool) {
	if !p.inReg || isStruct(p.typ) {
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
		p.base, p.base2, first = p.base2, Base{}, first-64
	}
	if p.base == (Base{}) || first+bits > 64 && p.base2 == (Base{}) {
		return p, false
	}
	p.inReg, p.off, p.bitOff, p.bitSize = false, 0, 0, 0
	if bits < 64 || first > 0 {
		p.bitOff, p.bitSize = first, bits
	}
	return p, true
}

// container chooses the word of 8 to 64 bits that holds the whole bit field: its
// byte offset, its size in bits, and the field's place in it counted from the
// lowest bit. want is the declared type's size in bits. The word is aligned, but
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

// goesOn reports whether a value goes on in the Arg behind its own.
func (p *Probe) goesOn(f *value.Field) bool {
	return f.Split > 0 || f.Encoding == value.Array && f.Skip+f.Size*f.Count > p.Args[f.Arg].Size()
}

// splitBits encodes a bit field that lies in two registers, or in nine bytes of
// memory.
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
	e.typ = bitType(low, p.bitOff, 8)
	e.next = []Arg{rest.fetcharg().as(bitType(p.bitSize-low, 0, size))}
	return e
}
