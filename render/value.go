package render

import (
	"strconv"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// NewField returns the Field that shows f. returned says that f is the return value of a
// function. o is used as long as the field is.
func NewField(f *value.Field, returned bool, o *Options) *Field {
	field := &Field{Type: value.NewType(f, returned, o.Order), Name: f.Label, opts: o, text: textWalk{opts: o}, Dump: f.Encoding == value.Dumped}
	field.Assign = append(AppendEscaped(nil, []byte(f.Label), NoQuote), '=')
	last := len(field.Assign) - 1
	field.Label = field.Assign[:last:last]
	if f.Encoding == value.Array {
		field.bytes = f.Size * f.Count
	}
	if f.Type != nil {
		field.C = btf.Name(f.Type)
	}
	if f.Encoding == value.Array && f.Size > 0 && f.Whole > f.Count*f.Size {
		field.Whole, field.cut = f.Whole, cutMark(f)
	}
	return field
}

// cutMark returns the text that says how much of an object is shown.
func cutMark(f *value.Field) []byte {
	dst := []byte(" /* ")
	switch {
	case f.Size == 1 || f.Whole%f.Size != 0:
		dst = strconv.AppendInt(dst, int64(f.Count*f.Size), 10)
		dst = append(strconv.AppendInt(append(dst, " of "...), int64(f.Whole), 10), " bytes"...)
	default:
		dst = strconv.AppendInt(dst, int64(f.Count), 10)
		dst = append(strconv.AppendInt(append(dst, " of "...), int64(f.Whole/f.Size), 10), " elements"...)
	}
	return append(dst, " */"...)
}

// WholeOf returns the size in bytes of what val is the beginning of, 0 if val is all of
// it.
func (f *Field) WholeOf(val *value.Value) int {
	switch {
	case val.IsCut() && val.Uint > 0:
		return int(val.Uint)
	case val.IsCut():
		return max(f.Whole, f.bytes)
	case val.Kind == value.Bytes:
		return f.Whole
	}
	return 0
}

// AppendNumber appends the text of x, a number from [value.View.Walk].
func (o *Options) AppendNumber(dst []byte, t *value.Type, x uint64) []byte {
	return texts[t.Form].number(o, t, dst, x)
}

// AppendBlock appends the text of bytes that mean one thing, from [value.View.Walk].
func (o *Options) AppendBlock(dst []byte, t *value.Type, b []byte) []byte {
	if t.Bounded && t.Form == value.SockAddr {
		return appendWholeSockAddr(dst, b)
	}
	if block := texts[t.Form].block; block != nil {
		return block(dst, b)
	}
	return appendHexBytes(dst, b)
}

// AppendValue appends the text of val. For an object it appends only "{...}"; see
// AppendTree.
func (f *Field) AppendValue(dst []byte, val value.Value) []byte {
	if val.Reason&value.OldMemory != 0 {
		val.Reason &^= value.OldMemory
		return append(append(append(f.AppendValue(dst, val), " ("...), DoubtText(value.OldMemory)...), ')')
	}
	switch { // a fast path for the most frequent values
	case val.Kind == value.Uint || val.Kind == value.Int:
		t := f.Of(&val)
		return f.opts.AppendNumber(dst, t, t.Means(val.Uint))
	case f.Form == value.Task && val.Kind == value.Text:
		return f.opts.appendTask(dst, &val)
	case f.IsText(val.Kind):
		dst = f.opts.appendString(dst, f.Type.Text(val.Bytes))
		switch {
		case val.Reason == 0:
		case val.Reason == value.CutOff:
			dst = append(dst, "..."...)
		case val.Kind == value.Bytes:
			dst = f.appendCut(dst, &val)
		default:
			dst = append(append(append(dst, " ("...), DoubtText(val.Reason)...), ')')
		}
		return dst
	case val.Kind == value.Dump:
		return append(dst, "{...}"...)
	}
	switch dst = f.AppendParts(dst, &val); {
	case val.IsCut():
		dst = f.appendCut(dst, &val)
	case f.Whole > 0 && val.Kind == value.Bytes:
		dst = append(dst, f.cut...)
	}
	return dst
}

// appendCut says how many bytes of a value are shown.
func (f *Field) appendCut(dst []byte, val *value.Value) []byte {
	dst = strconv.AppendInt(append(dst, " /* "...), int64(len(val.Bytes)), 10)
	return append(strconv.AppendInt(append(dst, " of "...), int64(f.WholeOf(val)), 10), " bytes */"...)
}

// DoubtText says what is uncertain about a value.
func DoubtText(reason value.FaultReason) string {
	switch reason {
	case value.OldMemory:
		return "perhaps old memory"
	case value.MaybeNext:
		return "perhaps the next string's"
	case value.CutOff:
		return "only its beginning"
	}
	return "perhaps it ends elsewhere"
}

// appendString appends a string in quotes.
func (o *Options) appendString(dst, b []byte) []byte {
	return o.Reset(appendQuoted(o.Paint(dst, Literal), b))
}

// appendTask appends a task: its name in quotes, since a name may hold anything, and its
// ID.
func (o *Options) appendTask(dst []byte, val *value.Value) []byte {
	return strconv.AppendUint(append(o.appendString(dst, val.Bytes), '-'), val.Uint, 10)
}

// AppendParts is AppendValue without a remark about what is missing.
func (f *Field) AppendParts(dst []byte, val *value.Value) []byte {
	f.text.begin(dst, false)
	value.View{Zeros: f.opts.Zeros}.Walk(&f.Type, val, &f.text)
	return f.text.dst
}

// AppendFault appends which pointer could not be followed: "skb->dev=NULL",
// "buf=0x7ffc1000 not in memory"; nothing if that is not known.
func AppendFault(dst []byte, through *value.PointerCheck, addr uint64, reason value.FaultReason) []byte {
	if through == nil {
		return dst
	}
	dst = append(AppendEscaped(dst, []byte(through.Label), NoQuote), '=')
	switch {
	case addr == 0:
		return append(dst, "NULL"...)
	case value.IsErrno(addr):
		return appendErrno(dst, addr)
	}
	dst = strconv.AppendUint(append(dst, "0x"...), addr, 16)
	switch reason {
	case value.NotInMemory:
		return append(dst, " not in memory"...)
	case value.Unproven:
		return append(dst, " perhaps not in memory"...)
	case value.EmptyOrAway:
		return append(dst, " empty or not in memory"...)
	case value.NoRoom:
		return append(dst, " too long for an event"...)
	}
	return dst
}
