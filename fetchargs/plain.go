package fetchargs

import "encoding/binary"

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
