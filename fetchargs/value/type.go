package value

import (
	"encoding/binary"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// A Type says what the numbers or bytes of a value mean, with all that can be
// decided before there are any. Together they are a tree: see [View.Walk].
type Type struct {
	Form     Form
	Signed   bool
	Chars    bool           // an array of it is a string
	Returned bool           // it is what a function has returned
	Enum     *btf.Enum      // for the Form Enum
	Names    *constants.Set // for the Form Named
	HZ       int            // for the Form Jiffies: how many a second; 0 if that is not known

	// Members are those of a struct that is shown member by member. Its Form is
	// Unknown.
	Members []Member

	// Dims are the elements of an array in an object, the outermost first; nil if it
	// is none.
	Dims []int

	Size  int  // bytes of a number, of an element of an array or of a struct
	Big   bool // the kernel's byte order has the highest byte first
	count int  // bytes of a number that count
	bits  int  // of a bit field, else 0
	swap  bool // its own byte order is the other one
	list  bool // a struct list_head
}

// A Member is one of a struct or union. Those of anonymous ones stand in their place.
type Member struct {
	Name   string
	C      string // name of the C type
	Type   Type
	Offset int // bytes; of a bit field's first one
	Shift  int // bits of that byte before a bit field, as the machine counts them
}

// NewType decides how f is shown. returned says that f is the return value of
// a function; order is the kernel's, nil for little endian.
func NewType(f *Field, returned bool, order binary.ByteOrder) Type {
	if isObject(f) {
		return newObjectType(f, order)
	}
	name, _, _ := strings.Cut(f.Format, "[") // function_events: "x8[6]"
	t := Type{Returned: returned, Size: f.Size, count: f.Size}
	var r rule
	if format := FormatNamed(name); format != nil {
		if r = format.rule(); r.form == Named {
			_, typedef := element(f.Type)
			r.big = typedefs[typedef].big
		}
	} else {
		r, t.Enum = typeRule(f, returned)
	}
	if r.form == Named {
		t.Names = names(f.Macros, r.set)
		r.signed = t.Names.IsNumber() && f.Signed
	}
	t.Form, t.Chars = r.form, r.chars
	t.Signed = r.signed || (r.form == Seconds || r.form == Jiffies) && f.Signed
	if r.form == Jiffies {
		t.HZ = f.HZ
	}
	if r.width > 0 && r.width < f.Size {
		t.count = r.width
	}
	if size, _ := btf.Size(orVoid(f.Type)); f.Encoding == Integer && size > f.Size && size <= 8 && r.width == 0 {
		t.count = size // it has been widened
	}
	if f.Encoding == BitField {
		t.bits, t.count = f.Bits, (f.Bits+7)/8
		if c, ok := btf.Strip(orVoid(f.Type)).(*btf.Int); ok && f.Signed && !t.Signed && int(c.Size)*8 > f.Bits {
			t.bits, t.count = 0, int(c.Size) // it has been widened
		}
	}
	t.Big = IsBig(order)
	t.swap = r.big && !t.Big
	return t
}

func orVoid(t btf.Type) btf.Type {
	if t == nil {
		return (*btf.Void)(nil)
	}
	return t
}

// names are those of a set. Without the table of a machine they are those that are
// the same on all.
func names(table *constants.Table, set string) *constants.Set {
	if table == nil {
		table = constants.For("amd64")
	}
	return table.Set(set)
}

// Means is what x, as decoded, means: in the order of the bytes and with the sign
// of the type, widened to 64 bits.
func (t *Type) Means(x uint64) uint64 {
	if t.swap && t.bits%8 == 0 { // of a bit field, only whole bytes of a register
		x = reverse(x, 8*t.count)
	}
	if t.bits > 0 {
		return x
	}
	return widen(x, 8*t.count, t.Signed)
}

// Width is how many bytes of a number count.
func (t *Type) Width() int { return t.count }

// IsText reports whether a value of that kind is a string.
func (t *Type) IsText(kind Kind) bool {
	switch kind {
	case Text:
		return t.Chars || blocks[t.Form] != everything
	case Bytes:
		return t.Chars
	}
	return false
}
