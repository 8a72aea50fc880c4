package fetchargs

import "math/bits"

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

// swapped turns the byte order of a value of f around. In a register that may be
// some bytes of it.
func (f *Field) swapped(n uint64) uint64 {
	width := 8 * f.Size
	if f.Encoding == BitField {
		width = f.Bits
	}
	return bits.ReverseBytes64(n) >> (64 - width)
}
