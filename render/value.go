package render

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A rule says how numbers and bytes become text. Every FORMAT and every kind
// of C type is one.
type rule struct {
	text  func(v *view, dst []byte, x uint64) []byte // one number
	sign  sign                                       // how x is widened
	width int                                        // bytes that count; 0 for all that were fetched
	big   bool                                       // in network byte order

	// block, if not nil, shows the bytes of a string or array, unit bytes at
	// a time, all of them if unit is 0. Without it an array is shown element
	// by element, or if chars is set, as a string.
	block func(dst, b []byte) []byte
	unit  int
	chars bool

	json jsonShape
}

// A sign says what the upper bits of a number are.
type sign uint8

const (
	asFetched sign = iota
	signed
	unsigned
)

// A view is a field with all that can be decided before its values come.
type view struct {
	rule
	field     *value.Field
	enum      *btf.Enum // for enumText
	opts      *Options
	order     binary.ByteOrder
	bigEndian bool // the kernel's order
	returned  bool // it is what a function has returned

	cut []byte // " /* 64 of 232 bytes */", if the value is not all of the object
}

// newView decides how f is shown. returned says that f is the return value of
// a function.
func newView(f *value.Field, returned bool, o *Options) view {
	v := view{field: f, opts: o, order: o.Order, returned: returned}
	if v.order == nil {
		v.order = binary.LittleEndian
	}
	v.bigEndian = v.order.Uint16([]byte{0, 1}) == 1
	v.cut = cutMark(f)
	name, _, _ := strings.Cut(f.Format, "[") // function_events: "x8[6]"
	var ok bool
	if v.rule, ok = formatNamed(name); !ok {
		v.rule, v.enum = typeRule(f, returned)
	}
	if v.sign == asFetched {
		v.sign = unsigned
		if f.Signed {
			v.sign = signed
		}
	}
	return v
}

// cutMark says how much of an object is shown, nil if it is all of it.
func cutMark(f *value.Field) []byte {
	if f.Encoding != value.Array || f.Size == 0 || f.Whole <= f.Count*f.Size {
		return nil
	}
	dst := strconv.AppendInt([]byte(" /* "), int64(f.Count), 10)
	switch {
	case f.Size == 1 || f.Whole%f.Size != 0:
		dst = strconv.AppendInt([]byte(" /* "), int64(f.Count*f.Size), 10)
		dst = append(strconv.AppendInt(append(dst, " of "...), int64(f.Whole), 10), " bytes"...)
	default:
		dst = append(strconv.AppendInt(append(dst, " of "...), int64(f.Whole/f.Size), 10), " elements"...)
	}
	return append(dst, " */"...)
}

// size is how many bytes of a number count.
func (v *view) size() int {
	if v.field.Encoding == value.BitField {
		return (v.field.Bits + 7) / 8
	}
	if v.width > 0 && v.width < v.field.Size {
		return v.width
	}
	return v.field.Size
}

// number is what x, as decoded, means under the view's rule.
func (v *view) number(x uint64) uint64 {
	shift := uint(64 - 8*v.size())
	if v.field.Encoding == value.BitField {
		if v.big && !v.bigEndian && v.field.Bits%8 == 0 { // whole bytes of a register
			return bits.ReverseBytes64(x) >> shift
		}
		return x
	}
	if v.big && !v.bigEndian {
		x = bits.ReverseBytes64(x) >> shift
	}
	if v.sign == signed {
		return uint64(int64(x<<shift) >> shift)
	}
	return x << shift >> shift
}

// appendValue appends the text of val.
func (v *view) appendValue(dst []byte, val value.Value) []byte {
	switch val.Kind {
	case value.Uint, value.Int:
		return v.text(v, dst, v.number(val.Uint))
	case value.Text, value.Bytes:
		if v.isText(val) {
			dst = appendQuoted(v.opts.color(dst, literal), untilNUL(val.Bytes))
			return v.opts.reset(dst)
		}
		return append(v.appendArray(dst, val.Bytes), v.cut...)
	case value.Fault:
		dst = append(v.opts.color(dst, failure), "(fault"...)
		dst = append(appendFault(dst, ": ", val), ')')
		return v.opts.reset(dst)
	}
	return append(dst, '?')
}

// appendArray appends the text of an array's bytes.
func (v *view) appendArray(dst, b []byte) []byte {
	if v.block != nil && (v.unit == 0 || len(b) == v.unit) {
		return v.block(dst, b)
	}
	dst = append(dst, '{')
	for i := 0; v.more(b); i++ {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if v.block != nil && len(b) >= v.unit {
			dst, b = v.block(dst, b[:v.unit]), b[v.unit:]
			continue
		}
		var x uint64
		x, b = v.next(b)
		dst = v.text(v, dst, x)
	}
	return append(dst, '}')
}

// more tells whether b holds one more element.
func (v *view) more(b []byte) bool { return v.field.Size > 0 && len(b) >= v.field.Size }

// next takes one element off b.
func (v *view) next(b []byte) (x uint64, rest []byte) {
	switch v.field.Size {
	case 1:
		x = uint64(b[0])
	case 2:
		x = uint64(v.order.Uint16(b))
	case 4:
		x = uint64(v.order.Uint32(b))
	case 8:
		x = v.order.Uint64(b)
	}
	return v.number(x), b[v.field.Size:]
}

// appendFault appends which pointer could not be followed, behind sep:
// "skb->dev=NULL", "buf=0x7ffc1000 not in memory"; nothing if that is not known.
func appendFault(dst []byte, sep string, val value.Value) []byte {
	if val.Guard == nil {
		return dst
	}
	dst = appendEscaped(append(dst, sep...), []byte(val.Guard.Label), noQuote)
	dst = append(dst, '=')
	switch {
	case val.Addr == 0:
		return append(dst, "NULL"...)
	case isErrno(val.Addr):
		return appendErrno(dst, val.Addr)
	}
	dst = hexText(nil, dst, val.Addr)
	switch val.Why {
	case value.NotInMemory:
		return append(dst, " not in memory"...)
	case value.Unproven:
		return append(dst, " perhaps not in memory"...)
	case value.EmptyOrAway:
		return append(dst, " empty or not in memory"...)
	}
	return dst
}

// isText tells whether val is shown as a string.
func (v *view) isText(val value.Value) bool {
	return v.chars || val.Kind == value.Text && (v.block == nil || v.unit != 0)
}

func untilNUL(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}
