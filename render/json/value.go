package json

import (
	"bytes"
	"strconv"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
)

// A shape says how a number is written in JSON, and which members describe it.
type shape uint8

const (
	number   shape = iota
	boolean        // true or false
	named          // a number; "text" if its text says more
	returned       // a number; "errno" if it is an error
	address        // "0x..."; "text" if it has a name; "errno" if it is an ERR_PTR
	text           // a string with its text
)

var shapes = [...]shape{
	value.Decimal: number, value.Byte: number, value.Bool: boolean, value.Returned: returned,
	value.Hex: named, value.Octal: named, value.Char: named, value.Enum: named, value.Named: named, value.Device: named, value.UserDev: named, value.ID: named, value.Location: named, value.ErrorCode: named,
	value.Seconds: named, value.Elapsed: named, value.Jiffies: named, value.Task: number, value.Unknown: named,
	value.Address: address, value.Symbol: address, value.Pointer: address, value.PerCPU: address, value.Word: named,
	value.IP4: text, value.IP6: text, value.MAC: text, value.LongMAC: text, value.Memory: text, value.SockAddr: text, value.Bits: text,
}

// saysMore reports whether the text of a value may say more than its number.
func (s shape) saysMore() bool { return s == named || s == address }

// AppendValue appends the members about a value: "value" and those that describe it. For
// an array or a struct with names in it, "text" is the text of all of it. A struct is an
// object.
func (p *Printer) AppendValue(dst []byte, f *render.Field, val value.Value) []byte {
	if val.Reason&value.OldMemory != 0 {
		val.Reason &^= value.OldMemory
		return appendMember(p.AppendValue(dst, f, val), "doubt", render.DoubtText(value.OldMemory))
	}
	if val.Kind == value.Uint || val.Kind == value.Int {
		t := f.Of(&val)
		return p.appendInteger(dst, t, t.Means(val.Uint))
	}
	if f.Form == value.Task && val.Kind == value.Text {
		return appendTaskValue(dst, &val)
	}
	w := &p.value
	w.dst, w.field, w.more, w.inexact, w.cut = append(dst, `"value":`...), f, false, false, false
	w.object = val.Kind == value.Dump
	value.View{Zeros: p.opts.Zeros, Full: true}.Walk(&f.Type, &val, w)
	dst = w.dst
	switch {
	case w.object:
		return appendObject(dst, val.Object)
	case f.IsText(val.Kind):
		if w.inexact {
			dst = appendHex(dst, "bytes", f.Type.Text(val.Bytes))
		}
		if val.IsCut() {
			break // its size says so
		}
		if val.Reason != 0 {
			dst = appendMember(dst, "doubt", render.DoubtText(val.Reason))
		}
		return dst
	case w.more || w.inexact:
		w.text = f.AppendParts(w.text[:0], &val)
		dst, _ = appendString(append(dst, `,"text":`...), w.text)
	}
	if val.Kind == value.List && (val.Reason == value.CutOff || w.cut) {
		dst = appendMember(dst, "doubt", render.DoubtText(value.CutOff))
	}
	if whole := f.WholeOf(&val); whole > 0 {
		dst = strconv.AppendInt(append(dst, `,"size":`...), int64(whole), 10)
	}
	return dst
}

// appendTaskValue appends a task as it is in the object of a call.
func appendTaskValue(dst []byte, val *value.Value) []byte {
	dst = strconv.AppendUint(append(dst, `"value":{"tid":`...), val.Uint, 10)
	return append(appendText(append(dst, ','), "comm", "comm_bytes", val.Bytes), '}')
}

// appendObject appends the address of an object, and its size if it was not fetched
// completely.
func appendObject(dst []byte, o *value.Object) []byte {
	if o.Addr != 0 {
		dst = append(strconv.AppendUint(append(dst, `,"addr":"0x`...), o.Addr, 16), '"')
	}
	if o.Whole > len(o.Bytes) {
		dst = strconv.AppendInt(append(dst, `,"size":`...), int64(o.Whole), 10)
	}
	return dst
}

// appendInteger appends a number, and its name if it has one.
func (p *Printer) appendInteger(dst []byte, t *value.Type, x uint64) []byte {
	return p.value.appendInteger(dst, t, x)
}

func (w *valueWalk) appendInteger(dst []byte, t *value.Type, x uint64) []byte {
	is := shapes[t.Form]
	dst = append(dst, `"value":`...)
	if is == address && w.opts.IsName != nil && w.opts.IsName(x) {
		w.text = w.opts.AppendNumber(w.text[:0], t, x)
		dst, _ = appendString(append(dst, `null,"text":`...), w.text)
		return dst
	}
	start := len(dst)
	dst = w.appendNumber(dst, t, x)
	if !isExact(t, x) && (is == number || is == returned) {
		dst = append(append(append(dst, `,"text":"`...), dst[start:]...), '"')
	}
	if is == number {
		return dst
	}
	plain := dst[start:]
	if is == named || is == address && x != 0 {
		w.text = w.opts.AppendNumber(w.text[:0], t, x)
		if !bytes.Equal(w.text, bytes.Trim(plain, `"`)) {
			dst, _ = appendString(append(dst, `,"text":`...), w.text)
		}
	}
	if name := value.ReturnedErrno(x); name != "" && (is == returned || is == address) {
		dst = appendMember(dst, "errno", name)
	}
	return dst
}

// isExact reports whether a double can hold the number exactly.
func isExact(t *value.Type, x uint64) bool {
	const most = 1 << 53
	return x <= most || t.Signed && -x <= most
}

// A valueWalk is the [value.Visitor] that appends a value as JSON.
type valueWalk struct {
	opts    *render.Options
	dst     []byte
	text    []byte                   // scratch
	faults  []byte                   // the elements of "errors" so far
	faulted func(name, fault []byte) // gets them instead; nil for none
	field   *render.Field
	object  bool   // the value is an object in memory
	path    []step // from the field to the next part
	more    bool   // the text of the value may say more
	inexact bool   // a string has bytes that are not UTF-8
	cut     bool   // a string goes on
}

func (w *valueWalk) Number(t *value.Type, x uint64) {
	if w.object && shapes[t.Form].saysMore() && w.appendNamed(t, x) {
		return
	}
	w.more = w.more || shapes[t.Form].saysMore() || !isExact(t, x)
	w.dst = w.appendNumber(w.dst, t, x)
}

// appendNamed appends a number in an object with its text, as an object of its own, and
// reports true, if the text is more than another form of the number.
func (w *valueWalk) appendNamed(t *value.Type, x uint64) bool {
	w.text = w.opts.AppendNumber(w.text[:0], t, x)
	if shapes[t.Form] == address && x == 0 || isNumber(w.text) || w.text[0] == '(' { // a cast
		return false
	}
	w.dst = append(w.appendInteger(append(w.dst, '{'), t, x), '}')
	return true
}

// isNumber reports whether text is a number in C's notation.
func isNumber(text []byte) bool {
	text = bytes.TrimPrefix(text, []byte("-"))
	digits, hex := bytes.CutPrefix(text, []byte("0x"))
	for _, c := range digits {
		if (c < '0' || c > '9') && !(hex && c >= 'a' && c <= 'f') {
			return false
		}
	}
	return len(digits) > 0
}

// appendNumber appends one number.
func (w *valueWalk) appendNumber(dst []byte, t *value.Type, x uint64) []byte {
	switch is := shapes[t.Form]; {
	case is == boolean && x <= 1:
		return strconv.AppendBool(dst, x == 1)
	case is == address:
		return append(strconv.AppendUint(append(dst, `"0x`...), x, 16), '"')
	case is == text:
		w.text = w.opts.AppendNumber(w.text[:0], t, x)
		dst, _ = appendString(dst, w.text)
		return dst
	case t.IsNoID(x):
		return append(dst, "-1"...)
	case t.Signed:
		return strconv.AppendInt(dst, int64(x), 10)
	}
	return strconv.AppendUint(dst, x, 10)
}

func (w *valueWalk) Text(b []byte, cut bool) {
	dst, exact := appendString(w.dst, b)
	if w.object && !exact { // no text says what all of an object is
		dst = append(appendText(append(w.dst, '{'), "value", "bytes", b), '}')
	}
	w.cut = w.cut || cut
	w.dst, w.inexact = dst, w.inexact || !exact
}

func (w *valueWalk) Block(t *value.Type, b []byte) {
	w.text = w.opts.AppendBlock(w.text[:0], t, b)
	w.dst, _ = appendString(w.dst, w.text)
}

// Fault records a value that could not be read, for "errors".
func (w *valueWalk) Fault(through *value.PointerCheck, addr uint64, reason value.FaultReason) {
	w.dst = append(w.dst, "null"...)
	w.text = w.appendPath(w.text[:0])
	if w.faulted != nil {
		name := len(w.text)
		w.text = render.AppendFault(w.text, through, addr, reason)
		w.faulted(w.text[:name], w.text[name:])
		return
	}
	if len(w.faults) > 0 {
		w.faults = append(w.faults, ',')
	}
	w.faults, _ = appendString(append(w.faults, `{"name":`...), w.text)
	w.text = render.AppendFault(w.text[:0], through, addr, reason)
	w.faults, _ = appendString(append(w.faults, `,"fault":`...), w.text)
	w.faults = append(w.faults, '}')
}

func (w *valueWalk) Nothing() { w.dst = append(w.dst, "null"...) }

// EmptyList appends an empty array.
func (w *valueWalk) EmptyList() { w.dst = append(w.dst, "[]"...) }

func (w *valueWalk) BeginArray(t *value.Type) {
	w.more = w.more || t.Members == nil && !t.Chars && shapes[t.Form].saysMore()
	w.begin('[')
}

func (w *valueWalk) Element(n, i, _ int) { w.next(n, step{index: i}) }

func (w *valueWalk) EndArray(value.Rest) { w.end(']') }

func (w *valueWalk) BeginStruct() { w.begin('{') }

func (w *valueWalk) Member(n int, m *value.Member) {
	w.next(n, step{member: true, name: m.Name})
	w.dst, _ = appendString(w.dst, []byte(m.Name))
	w.dst = append(w.dst, ':')
}

func (w *valueWalk) EndStruct() { w.end('}') }

func (w *valueWalk) begin(bracket byte) {
	w.dst = append(w.dst, bracket)
	w.path = append(w.path, step{})
}

func (w *valueWalk) next(i int, to step) {
	if i > 0 {
		w.dst = append(w.dst, ',')
	}
	w.path[len(w.path)-1] = to
}

func (w *valueWalk) end(bracket byte) {
	w.dst = append(w.dst, bracket)
	w.path = w.path[:len(w.path)-1]
}

// A step leads from a value to one of its parts.
type step struct {
	member bool
	name   string // of the member
	index  int    // of the element, if it is not a member
}

// appendPath appends the name of the next part: "p.line[1].x".
func (w *valueWalk) appendPath(dst []byte) []byte {
	dst = append(dst, w.field.Label...)
	for _, s := range w.path {
		if s.member {
			dst = render.AppendEscaped(append(dst, '.'), []byte(s.name), render.NoQuote)
			continue
		}
		dst = append(strconv.AppendInt(append(dst, '['), int64(s.index), 10), ']')
	}
	return dst
}
