package route

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// Settle ends the walk into a struct in registers: the value is all of one register, or
// some bits of one or of both. Arrays are left as they are.
func (p Route) Settle() (Route, bool) {
	if !p.InReg || btf.IsStruct(p.Type) {
		return p, true
	}
	if _, array := btf.Strip(p.Type).(*btf.Array); array {
		return p, true
	}
	size, ok := btf.Size(p.Type)
	first := uint32(p.Off)*8 + p.BitOff
	bits := p.BitSize
	if bits == 0 {
		bits = uint32(size) * 8
	}
	if !ok || p.Off < 0 || bits == 0 || bits > 64 || first+bits > 128 {
		return p, false
	}
	if first >= 64 {
		p.Base, p.Base2, first = p.Base2, dynevent.Base{}, first-64
	}
	if p.Base == (dynevent.Base{}) || first+bits > 64 && p.Base2 == (dynevent.Base{}) {
		return p, false
	}
	p.InReg, p.Off, p.BitOff, p.BitSize = false, 0, 0, 0
	if bits < 64 || first > 0 {
		p.BitOff, p.BitSize = first, bits
	}
	return p, true
}

// settled is Settle for x, whose value is a part of object.
func (p Route) settled(at spec.Span, object spec.Expr) (Route, *spec.Error) {
	p, ok := p.Settle()
	if !ok {
		return p, spec.Errorf(at, "", "%s is passed in registers, and this part of it cannot be fetched", object)
	}
	return p, nil
}

// Container returns the word of 8 to 64 bits that holds the whole bit field: its offset
// in bytes, its size in bits, and the position of the field in it, counted from the
// lowest bit. want is the size of the declared type in bits. The word is aligned, except
// in packed structs.
func (p Route) Container(want uint32) (off int64, size, shift uint32, ok bool) {
	sizes := []uint32{want, 8, 16, 32, 64}
	for _, size := range sizes {
		if size == 0 || size > 64 {
			continue
		}
		shift := p.BitOff % size
		if shift+p.BitSize <= size {
			return p.Off + int64(p.BitOff/size*size/8), size, shift, true
		}
	}
	for _, size := range sizes[1:] {
		if shift := p.BitOff % 8; p.Mem && shift+p.BitSize <= size {
			return p.Off + int64(p.BitOff/8), size, shift, true
		}
	}
	return 0, 0, 0, false
}
