package value

import (
	"encoding/binary"
	"math/bits"
)

// number makes a value of the integer in the record: narrows a bit field,
// extends the sign, and adds what the kernel could not add.
func (f *Field) number(raw uint64) Value {
	width := f.Size * 8
	if f.Encoding == BitField {
		width = f.Bits
	}
	shift := 64 - uint(width)
	if f.Signed {
		return Value{Kind: Int, Uint: uint64(int64(raw<<shift)>>shift) + uint64(f.Add)}
	}
	return Value{Kind: Uint, Uint: raw<<shift>>shift + uint64(f.Add)}
}

// Swapped turns the byte order of a value of f around. In a register that may be
// some bytes of it.
func (f *Field) Swapped(n uint64) uint64 {
	width := 8 * f.Size
	if f.Encoding == BitField {
		width = f.Bits
	}
	return bits.ReverseBytes64(n) >> (64 - width)
}

// A Plain is where a record has a number that is always there, read through no
// pointer: most of all values, and worth a shorter way than Decoder.Value.
type Plain struct {
	offset, size int
	shift        uint
	signed, big  bool
	add          uint64
}

// Plain returns the probe's field f as a Plain, false if it is none.
func (d *Decoder) Plain(f int) (Plain, bool) {
	field := &d.fields[f]
	if field.Encoding != Integer || len(field.Guards) > 0 {
		return Plain{}, false
	}
	s := d.slots[field.Arg]
	if s.Offset < 0 || s.Size < 0 {
		return Plain{}, false
	}
	return Plain{s.Offset, s.Size, 64 - uint(field.Size*8), field.Signed, d.big, uint64(field.Add)}, true
}

// Load is the number in a record, as Value gives it; 0 if the record ends before.
func (p *Plain) Load(data []byte) uint64 {
	if p.offset+p.size > len(data) {
		return p.add
	}
	var raw uint64
	switch b := data[p.offset : p.offset+p.size]; {
	case p.big:
		raw = bigEndian(b)
	case p.size == 8:
		raw = binary.LittleEndian.Uint64(b)
	case p.size == 4:
		raw = uint64(binary.LittleEndian.Uint32(b))
	case p.size == 2:
		raw = uint64(binary.LittleEndian.Uint16(b))
	case p.size == 1:
		raw = uint64(b[0])
	}
	if p.signed {
		return uint64(int64(raw<<p.shift)>>p.shift) + p.add
	}
	return raw<<p.shift>>p.shift + p.add
}
