package render

import (
	"encoding/binary"
	"math/bits"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Type says what the numbers or bytes of a value mean, with all that can be
// decided before there are any. Together they are a tree: see [Walk].
type Type struct {
	Form     Form
	Signed   bool
	Chars    bool      // an array of it is a string
	Returned bool      // it is what a function has returned
	Enum     *btf.Enum // for the Form Enum

	// Members are those of a struct that is shown member by member. Its Form is
	// Unknown.
	Members []Member

	Size  int  // bytes of a number, of an element of an array or of a struct
	count int  // bytes of a number that count
	bits  int  // of a bit field, else 0
	big   bool // the kernel's byte order
	swap  bool // it is the other one
}

// A Member is one of a struct.
type Member struct {
	Name   string
	Type   Type
	Count  int // elements of an array, 0 if it is none
	Offset int // bytes
	Shift  int // of a bit field: bits of its container that are below it
}

// NewType decides how f is shown. returned says that f is the return value of
// a function; order is the kernel's, nil for little endian.
func NewType(f *value.Field, returned bool, order binary.ByteOrder) Type {
	name, _, _ := strings.Cut(f.Format, "[") // function_events: "x8[6]"
	r, ok := formatNamed(name)
	t := Type{Returned: returned, Size: f.Size, count: f.Size}
	if !ok {
		r, t.Enum = typeRule(f, returned)
	}
	t.Form, t.Chars = r.form, r.chars
	t.Signed = r.sign == signed || r.sign == asFetched && f.Signed
	if r.width > 0 && r.width < f.Size {
		t.count = r.width
	}
	if f.Encoding == value.BitField {
		t.bits, t.count = f.Bits, (f.Bits+7)/8
	}
	t.big = order != nil && order.Uint16([]byte{0, 1}) == 1
	t.swap = r.big && !t.big
	return t
}

// Means is what x, as decoded, means: in the order of the bytes and with the sign
// of the type, widened to 64 bits.
func (t *Type) Means(x uint64) uint64 {
	shift := uint(64 - 8*t.count)
	if t.bits > 0 {
		if t.swap && t.bits%8 == 0 { // whole bytes of a register
			return bits.ReverseBytes64(x) >> shift
		}
		return x
	}
	if t.swap {
		x = bits.ReverseBytes64(x) >> shift
	}
	if t.Signed {
		return uint64(int64(x<<shift) >> shift)
	}
	return x << shift >> shift
}

// load is the number in b, of 1, 2, 4 or 8 bytes.
func (t *Type) load(b []byte) uint64 {
	switch {
	case len(b) == 1:
		return uint64(b[0])
	case len(b) == 2 && t.big:
		return uint64(binary.BigEndian.Uint16(b))
	case len(b) == 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case len(b) == 4 && t.big:
		return uint64(binary.BigEndian.Uint32(b))
	case len(b) == 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case len(b) == 8 && t.big:
		return binary.BigEndian.Uint64(b)
	case len(b) == 8:
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// IsText tells whether val is a string.
func (t *Type) IsText(val value.Value) bool {
	switch val.Kind {
	case value.Text:
		return t.Chars || blocks[t.Form] != everything
	case value.Bytes:
		return t.Chars
	}
	return false
}
