package value

import (
	"encoding/binary"
	"math/bits"

	"github.com/tsnoop/tsnoop/btf"
)

// Load returns the number in b, of 1, 2, 4 or 8 bytes, zero-extended. It returns 0 for
// other sizes. big says that the highest byte comes first.
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

// IsBig reports whether order has the highest byte first. nil means little endian.
func IsBig(order binary.ByteOrder) bool {
	return order != nil && order.Uint16([]byte{0, 1}) == 1
}

// widen extends the lowest width bits of x to 64, by their sign if signed is set.
func widen(x uint64, width int, signed bool) uint64 {
	rest := uint(64 - width)
	if signed {
		return uint64(int64(x<<rest) >> rest)
	}
	return x << rest >> rest
}

// reverse reverses the bytes of a number of width bits.
func reverse(x uint64, width int) uint64 { return bits.ReverseBytes64(x) >> uint(64-width) }

// number returns the value of an integer in the record: it narrows a bit field, extends
// the sign, and adds the offset that the kernel could not add.
func (f *Field) number(raw uint64) Value {
	kind := Uint
	if f.Signed {
		kind = Int
	}
	return Value{Kind: kind, Uint: widen(raw, f.width(), f.Signed) + uint64(f.Add)}
}

// Width returns how many bits of the number in the record are significant.
func (f *Field) Width() uint { return uint(f.width()) }

func (f *Field) width() int {
	if f.Encoding == BitField {
		return f.Bits
	}
	return 8 * f.Size
}

// Unsigned returns the width in bits that f, which is signed, has after a cast to a wider
// unsigned type in C; 0 if there is no such cast.
func (f *Field) Unsigned() int {
	if !f.Signed || f.Encoding != Integer && f.Encoding != BitField {
		return 0
	}
	if format := FormatNamed(f.Format); format != nil && format.Signed {
		return 0
	}
	t, ok := btf.Strip(f.Type).(*btf.Int)
	if !ok || t.Encoding&btf.Bool != 0 || btf.Signed(t) || int(t.Size)*8 <= f.width() {
		return 0
	}
	return int(t.Size) * 8
}

// Swapped returns n, a value of f, with the bytes reversed. In a register f may be only
// some of the bytes.
func (f *Field) Swapped(n uint64) uint64 { return reverse(n, f.width()) }

// A Plain locates a number that is always in the record and was not read through a
// pointer. Most values are such numbers, and this is faster than Decoder.Value.
type Plain struct {
	offset, size int
	width        int // bits
	signed, big  bool
	add          uint64
}

// Plain returns the probe's field f as a Plain, false if it is not one.
func (d *Decoder) Plain(f int) (Plain, bool) {
	field := &d.fields[f]
	if field.Encoding != Integer || len(field.PointerChecks) > 0 || field.By > 0 || field.Use != nil {
		return Plain{}, false
	}
	s := d.slots[field.Arg]
	return Plain{s.Offset, s.Size, 8 * field.Size, field.Signed, d.big, uint64(field.Add)}, true
}

// Load returns the number in a record, like Decoder.Value. If the record is too short,
// the fetched number counts as 0.
func (p *Plain) Load(data []byte) uint64 {
	if p.offset+p.size > len(data) {
		return p.add
	}
	raw := Load(data[p.offset:p.offset+p.size], p.big)
	return widen(raw, p.width, p.signed) + p.add
}
