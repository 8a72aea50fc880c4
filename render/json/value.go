package json

import (
	"bytes"
	"strconv"

	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
)

// A shape says what a number is in JSON and what stands beside it.
type shape uint8

const (
	number   shape = iota
	boolean        // true or false
	named          // a number; "text" if that says more
	returned       // a number; "errno" if it is one
	address        // "0x..."; "text" if it has a name; "errno" if it is an ERR_PTR
	text           // the text
)

var shapes = [...]shape{
	render.Decimal: number, render.Byte: number, render.Bool: boolean, render.Returned: returned,
	render.Hex: named, render.Octal: named, render.Char: named, render.Enum: named, render.Errno: named,
	render.Seconds: named, render.Unknown: named,
	render.Address: address, render.Symbol: address,
	render.IP4: text, render.IP6: text, render.MAC: text, render.LongMAC: text, render.Memory: text,
}

// saysMore tells whether the text of a value may say more than the value.
func (s shape) saysMore() bool { return s == named || s == address }

// AppendValue appends the members that are about a value: "value" and what stands
// beside it. Of an array or a struct that has names in it, "text" is all of it as
// text has it. A struct is an object.
func (p *Printer) AppendValue(dst []byte, f *render.Field, val value.Value) []byte {
	if val.Kind == value.Uint || val.Kind == value.Int {
		return p.appendInteger(dst, f, f.Means(val.Uint))
	}
	w := &p.value
	w.dst, w.more, w.inexact = append(dst, `"value":`...), false, false
	render.Walk(&f.Type, val, w)
	dst, w.dst = w.dst, nil
	switch {
	case val.Kind == value.Fault:
		p.addFault(f, val)
	case f.IsText(val):
		if w.inexact {
			dst = appendHex(dst, "bytes", render.UntilNUL(val.Bytes))
		}
		return dst
	case w.more || w.inexact:
		w.text = f.AppendParts(w.text[:0], val)
		dst, _ = appendString(append(dst, `,"text":`...), w.text)
	}
	if f.Whole > 0 && val.Kind == value.Bytes {
		dst = strconv.AppendInt(append(dst, `,"size":`...), int64(f.Whole), 10)
	}
	return dst
}

// appendInteger appends a number with its name if it has one.
func (p *Printer) appendInteger(dst []byte, f *render.Field, x uint64) []byte {
	w, is := &p.value, shapes[f.Form]
	dst = append(dst, `"value":`...)
	start := len(dst)
	dst = w.appendNumber(dst, &f.Type, x)
	if is == number {
		return dst
	}
	plain := dst[start:]
	if is == named || is == address && x != 0 {
		w.text = p.opts.AppendNumber(w.text[:0], &f.Type, x)
		if !bytes.Equal(w.text, bytes.Trim(plain, `"`)) {
			dst, _ = appendString(append(dst, `,"text":`...), w.text)
		}
	}
	if name := render.ReturnedErrno(x); name != "" && (is == returned || is == address) {
		dst = appendMember(dst, "errno", name)
	}
	return dst
}

// addFault notes that f could not be read, for "errors".
func (p *Printer) addFault(f *render.Field, val value.Value) {
	if len(p.faults) > 0 {
		p.faults = append(p.faults, ',')
	}
	p.value.text = render.AppendFault(p.value.text[:0], val)
	name, _ := appendString(append(p.faults, `{"name":`...), f.Label)
	fault, _ := appendString(append(name, `,"fault":`...), p.value.text)
	p.faults = append(fault, '}')
}

// A valueWalk is the render.Visitor that appends a value of JSON.
type valueWalk struct {
	opts    *render.Options
	dst     []byte
	text    []byte // scratch
	more    bool   // the text of the value may say more
	inexact bool   // a string has bytes that are no UTF-8
}

func (w *valueWalk) Number(t *render.Type, x uint64) {
	w.more = w.more || shapes[t.Form].saysMore()
	w.dst = w.appendNumber(w.dst, t, x)
}

// appendNumber appends the value of one number.
func (w *valueWalk) appendNumber(dst []byte, t *render.Type, x uint64) []byte {
	switch is := shapes[t.Form]; {
	case is == boolean && x <= 1:
		return strconv.AppendBool(dst, x == 1)
	case is == address:
		return append(strconv.AppendUint(append(dst, `"0x`...), x, 16), '"')
	case is == text:
		w.text = w.opts.AppendNumber(w.text[:0], t, x)
		dst, _ = appendString(dst, w.text)
		return dst
	case t.Signed:
		return strconv.AppendInt(dst, int64(x), 10)
	}
	return strconv.AppendUint(dst, x, 10)
}

func (w *valueWalk) Text(b []byte) {
	dst, exact := appendString(w.dst, b)
	w.dst, w.inexact = dst, w.inexact || !exact
}

func (w *valueWalk) Block(t *render.Type, b []byte) {
	w.text = w.opts.AppendBlock(w.text[:0], t, b)
	w.dst, _ = appendString(w.dst, w.text)
}

func (w *valueWalk) Fault(value.Value) { w.dst = append(w.dst, "null"...) }

func (w *valueWalk) Nothing() { w.dst = append(w.dst, "null"...) }

func (w *valueWalk) BeginArray(t *render.Type) {
	w.more = w.more || t.Members == nil && shapes[t.Form].saysMore()
	w.dst = append(w.dst, '[')
}

func (w *valueWalk) Element(i int) {
	if i > 0 {
		w.dst = append(w.dst, ',')
	}
}

func (w *valueWalk) EndArray() { w.dst = append(w.dst, ']') }

func (w *valueWalk) BeginStruct() { w.dst = append(w.dst, '{') }

func (w *valueWalk) Member(i int, name string) {
	w.Element(i)
	w.dst, _ = appendString(w.dst, []byte(name))
	w.dst = append(w.dst, ':')
}

func (w *valueWalk) EndStruct() { w.dst = append(w.dst, '}') }
