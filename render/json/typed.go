package json

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
)

// A TypedKind says what a [Typed] holds.
type TypedKind uint8

const (
	Null  TypedKind = iota // not known
	Bool                   // Number is 0 or 1
	Int                    // Number is an int64
	Uint                   // Number is above that
	Text                   // Text is UTF-8
	Bytes                  // Text is not
	Tree                   // Text is the JSON of an object or an array
)

// A Typed is a value as "value" has it, but not as text: for programs that write it in a form
// of their own.
type Typed struct {
	Kind   TypedKind
	Number uint64
	Text   []byte
	Label  []byte // "text": the number as text shows it, where that shows more
	Errno  string
}

// Faulted has p call what with each value of [Printer.Typed] that could not be read: the
// elements of "errors". The arguments are valid until it returns.
func (p *Printer) Faulted(what func(name, fault []byte)) { p.value.faulted = what }

// Typed returns the value that AppendValue writes. Its bytes are in the record, or are
// appended to dst, which is returned.
func (p *Printer) Typed(dst []byte, f *render.Field, val value.Value) (Typed, []byte) {
	val.Reason &^= value.OldMemory
	switch {
	case val.Kind == value.Uint || val.Kind == value.Int:
		t := f.Of(&val)
		return p.TypedNumber(dst, t, t.Means(val.Uint))
	case f.Form == value.Task && val.Kind == value.Text:
		start := len(dst) + len(`"value":`)
		dst = appendTaskValue(dst, &val)
		return Typed{Kind: Tree, Text: dst[start:]}, dst
	case f.IsText(val.Kind):
		text := f.Type.Text(val.Bytes)
		if !utf8.Valid(text) {
			return Typed{Kind: Bytes, Text: text}, dst
		}
		return Typed{Kind: Text, Text: text}, dst
	case val.Kind == value.None:
		return Typed{}, dst
	}
	return p.typedParts(dst, f, &val)
}

// typedParts is Typed for what is neither a number nor a string.
func (p *Printer) typedParts(dst []byte, f *render.Field, val *value.Value) (Typed, []byte) {
	w, start := &p.value, len(dst)
	w.dst, w.field, w.object = dst, f, val.Kind == value.Dump
	value.View{Zeros: p.opts.Zeros, Full: true}.Walk(&f.Type, val, w)
	dst = w.dst
	switch dst[start] {
	case 'n': // null
		return Typed{}, dst[:start]
	case '"': // a block, of which w.text is the text
		dst = append(dst[:start], w.text...)
		return Typed{Kind: Text, Text: dst[start:]}, dst
	}
	return Typed{Kind: Tree, Text: dst[start:]}, dst
}

// TypedNumber is Typed for a number of this type.
func (p *Printer) TypedNumber(dst []byte, t *value.Type, x uint64) (n Typed, _ []byte) {
	w, is, start := &p.value, shapes[t.Form], len(dst)
	label := is == named || is == address && x != 0
	switch {
	case is == address && w.opts.IsName != nil && w.opts.IsName(x):
		label = true
	case is == boolean && x <= 1:
		return Typed{Kind: Bool, Number: x}, dst
	case is == address:
		dst = strconv.AppendUint(append(dst, "0x"...), x, 16)
		n = Typed{Kind: Text, Text: dst[start:]}
	case is == text:
		dst = w.opts.AppendNumber(dst, t, x)
		return Typed{Kind: Text, Text: dst[start:]}, dst
	case t.IsNoID(x):
		n = Typed{Kind: Int, Number: math.MaxUint64}
	case t.Signed || x <= math.MaxInt64:
		n = Typed{Kind: Int, Number: x}
	default:
		n = Typed{Kind: Uint, Number: x}
	}
	if is == returned || is == address && n.Kind == Text {
		n.Errno = value.ReturnedErrno(x)
	}
	if label {
		dst = w.typedLabel(dst, t, x, &n)
	}
	return n, dst
}

// typedLabel adds the text of a number, if it shows more.
func (w *valueWalk) typedLabel(dst []byte, t *value.Type, x uint64, n *Typed) []byte {
	var digits [20]byte
	plain := n.Text
	switch n.Kind {
	case Int:
		plain = strconv.AppendInt(digits[:0], int64(n.Number), 10)
	case Uint:
		plain = strconv.AppendUint(digits[:0], n.Number, 10)
	}
	start := len(dst)
	dst = w.opts.AppendNumber(dst, t, x)
	if bytes.Equal(dst[start:], plain) {
		return dst[:start]
	}
	n.Label = dst[start:]
	return dst
}
