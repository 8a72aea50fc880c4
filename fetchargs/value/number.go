package value

import (
	"encoding/binary"
	"math/bits"

	"github.com/tsnoop/tsnoop/btf"
)

// Load is the number in b, of 1, 2, 4 or 8 bytes, zero-extended; 0 if it has
// another size. big says that the highest byte comes first.
func Load(b []byte, big bool) uint64 {
	if big {
		return loadBig(b)
	}
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 8:
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func loadBig(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	case 8:
		return binary.BigEndian.Uint64(b)
	}
	return 0
}

// IsBig reports whether order has the highest byte first; nil has not.
func IsBig(order binary.ByteOrder) bool {
	return order != nil && order.Uint16([]byte{0, 1}) == 1
}

// widen makes 64 bits of the lowest of x, so many, by their sign if they have one.
func widen(x uint64, width int, signed bool) uint64 {
	rest := uint(64 - width)
	if signed {
		return uint64(int64(x<<rest) >> rest)
	}
	return x << rest >> rest
}

// reverse turns the bytes of a number of so many bits around.
func reverse(x uint64, width int) uint64 { return bits.ReverseBytes64(x) >> uint(64-width) }

// number makes a value of the integer in the record: narrows a bit field,
// extends the sign, and adds what the kernel could not add.
func (f *Field) number(raw uint64) Value {
	kind := Uint
	if f.Signed {
		kind = Int
	}
	return Value{Kind: kind, Uint: widen(raw, f.width(), f.Signed) + uint64(f.Add)}
}

// Width is how many bits of what the record holds are a number of f.
func (f *Field) Width() uint { return uint(f.width()) }

func (f *Field) width() int {
	if f.Encoding == BitField {
		return f.Bits
	}
	return 8 * f.Size
}

// Unsigned is how many bits a number has that C makes of f, which is signed, with a cast
// to a wider unsigned type; 0 if there is no such cast.
func (f *Field) Unsigned() int {
	if !f.Signed || f.Encoding != Integer && f.Encoding != BitField {
		return 0
	}
	if format := FormatNamed(f.Format); format != nil && format.Signed {
		return 0
	}
	t, ok := btf.Strip(orVoid(f.Type)).(*btf.Int)
	if !ok || t.Encoding&btf.Bool != 0 || btf.Signed(t) || int(t.Size)*8 <= f.width() {
		return 0
	}
	return int(t.Size) * 8
}

// Swapped turns the byte order of a value of f around. In a register that may be
// some bytes of it.
func (f *Field) Swapped(n uint64) uint64 { return reverse(n, f.width()) }

// A Plain is where a record has a number that is always there, read through no
// pointer: most of all values, and worth a shorter way than Decoder.Value.
type Plain struct {
	offset, size int
	width        int // bits
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
	return Plain{s.Offset, s.Size, 8 * field.Size, field.Signed, d.big, uint64(field.Add)}, true
}

// Load is the number in a record, as Value gives it; 0 if the record ends before.
func (p *Plain) Load(data []byte) uint64 {
	if p.offset+p.size > len(data) {
		return p.add
	}
	raw := Load(data[p.offset:p.offset+p.size], p.big)
	return widen(raw, p.width, p.signed) + p.add
}
