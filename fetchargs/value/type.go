package value

import (
	"encoding/binary"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
)

// A Type says what the numbers or bytes of a value mean, as far as that can be decided
// before there are values. Types form a tree: see [View.Walk].
type Type struct {
	Form     Form
	Signed   bool
	Chars    bool           // an array of these is a string
	Returned bool           // the return value of a function
	Enum     *btf.Enum      // for the Form Enum
	Names    *constants.Set // for the Form Named
	HZ       int            // for the Form Jiffies: jiffies a second; 0 if not known
	cases    []Type         // for the Form Named: those that another parameter chooses among; for a Bounded one: nullType

	// Members are the members of a struct that is shown member by member. Its Form is
	// Unknown.
	Members []Member

	// Dims are the dimensions of an array in an object, the outermost first; nil if it is
	// not an array.
	Dims []int

	Size  int  // bytes of a number, of an element of an array or of a struct
	Big   bool // the kernel is big-endian
	count int  // significant bytes of a number
	bits  int  // width of a bit field, else 0
	swap  bool // the byte order differs from the kernel's
	list  bool // a struct list_head

	// Bounded says that a socket address or data is exactly as long as its bytes.
	Bounded bool
}

// A Member is a member of a struct or union. Members of anonymous structs and unions
// appear in their place.
type Member struct {
	Name   string
	C      string // name of the C type
	Type   Type
	Offset int // in bytes; for a bit field, of its first byte
	Shift  int // bits before a bit field in that byte, in the machine's bit order
}

// NewType decides how f is shown. returned says that f is the return value of a function.
// order is the byte order of the kernel, nil for little endian.
func NewType(f *Field, returned bool, order binary.ByteOrder) Type {
	t := newType(f, returned, order)
	t.Bounded = f.Bound != nil
	if t.Bounded || f.Encoding == Strings {
		t.cases = nullType
	}
	return t
}

func newType(f *Field, returned bool, order binary.ByteOrder) Type {
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
		t.cases = casesOf(f, t.Names)
		r.signed = t.Names.IsNumber() && f.Signed
	}
	switch f.Encoding {
	case Who:
		r = rule{form: Task}
	case Strings:
		r = charRule
	}
	t.Form, t.Chars = r.form, r.chars
	t.Signed = r.signed || (r.form == Seconds || r.form == Jiffies) && f.Signed
	if r.form == Jiffies {
		t.HZ = f.HZ
	}
	t.setWidth(f, r.width)
	t.Big = IsBig(order)
	t.swap = r.big && !t.Big
	return t
}

// setWidth sets how many bytes or bits of a number mean something: those of the rule, if it
// has a width, else those that the field holds, or that its type has after a cast.
func (t *Type) setWidth(f *Field, width int) {
	switch size, _ := btf.Size(f.Type); {
	case f.Encoding == BitField:
		t.bits, t.count = f.Bits, (f.Bits+7)/8
		if c, ok := btf.Strip(f.Type).(*btf.Int); ok && f.Signed && !t.Signed && int(c.Size)*8 > f.Bits {
			t.bits, t.count = 0, int(c.Size) // widened by a cast
		}
	case width > 0:
		t.count = min(width, f.Size)
	case f.Encoding == Integer && size <= 8:
		t.count = max(size, f.Size) // widened by a cast
	}
}

// casesOf returns the types of the cases of f's set; nil if nothing chooses among them.
func casesOf(f *Field, names *constants.Set) (all []Type) {
	if f.By == 0 || names == nil {
		return nil
	}
	for _, c := range names.Cases {
		t := Type{Form: Named, Names: c.Set, Signed: f.Signed && c.IsNumber(), Size: f.Size, count: f.Size}
		all = append(all, t)
	}
	return all
}

// Of returns the type of val: t, or the case of t that another parameter has chosen.
func (t *Type) Of(val *Value) *Type {
	if i := int(val.Reason&^OldMemory) - 1; i >= 0 && i < len(t.cases) && (val.Kind == Uint || val.Kind == Int) {
		return &t.cases[i]
	}
	return t
}

// caseOf returns 1 plus the index of the case of set for x, or 0.
func caseOf(set *constants.Set, x uint64) FaultReason {
	for i := range set.Cases {
		if set.Cases[i].Value == x {
			return FaultReason(i + 1)
		}
	}
	return 0
}

// names returns the constants of a set. If table is nil, they are those of amd64.
func names(table *constants.Table, set string) *constants.Set {
	if table == nil {
		table = constants.For("amd64")
	}
	return table.Set(set)
}

// Means returns what the decoded number x means: in the byte order of the type, widened
// to 64 bits with its sign.
func (t *Type) Means(x uint64) uint64 {
	if t.swap && t.bits%8 == 0 { // for a bit field, only whole bytes of a register
		x = reverse(x, 8*t.count)
	}
	if t.bits > 0 {
		return x
	}
	return widen(x, 8*t.count, t.Signed)
}

// IsNoID reports whether the decoded number x of the Form ID is -1, which stands for no user
// or group, as in chown(2).
func (t *Type) IsNoID(x uint64) bool {
	return t.Form == ID && t.count < 8 && x == 1<<(8*t.count)-1
}

// Width returns how many bytes of a number are significant.
func (t *Type) Width() int { return t.count }

// Text returns the text in b, the bytes of a value for which IsText is true: all of data,
// which may contain NULs.
func (t *Type) Text(b []byte) []byte {
	if t.Bounded {
		return b
	}
	return UntilNUL(b)
}

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
