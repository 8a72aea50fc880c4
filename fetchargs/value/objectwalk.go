package value

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// maxVisits is the most members and elements of an object that are shown: damaged BTF may
// describe the same bytes as members again and again.
const maxVisits = 1 << 18

// An objectWalk walks through an object.
type objectWalk struct {
	View
	Visitor
	object *Object
	left   int // members and elements that may still be shown
}

func (view View) walkObject(t *Type, o *Object, v Visitor) {
	w := objectWalk{View: view, Visitor: v, object: o, left: maxVisits}
	w.value(t, t.Dims, 0, 0)
}

// value visits a value of t, or an array of them, that starts at byte at of the object.
// shift is that of a bit field.
func (w *objectWalk) value(t *Type, dims []int, at, shift int) {
	b := w.object.Bytes
	end := at + t.Size*elements(dims)
	if at < 0 || end < at || at > len(b) {
		w.Nothing()
		return
	}
	switch whole, some := w.absent(at, min(end, len(b))); {
	case whole || some && !t.hasParts(dims):
		w.Fault(nil, 0, BadAddress)
	case len(dims) > 1 || len(dims) == 1 && !t.isOne(b[at:min(end, len(b))]):
		w.array(t, dims, at)
	case len(dims) == 1 && t.Chars:
		w.Text(UntilNUL(b[at:min(end, len(b))]), false)
	case t.list && end <= len(b) && w.pointsToItself(t, at):
		w.EmptyList()
	case len(dims) == 0 && t.Members != nil:
		w.structure(t, at, min(end, len(b)))
	case t.Form == Memory:
		w.Block(t, b[at:min(end, len(b))])
	case end > len(b):
		w.Nothing()
	case len(dims) == 0 && !t.isBlock():
		w.Number(t, t.Means(t.narrow(b[at:end], shift)))
	default:
		w.Block(t, b[at:end])
	}
}

// hasParts reports whether a value of t, or an array of them, is shown part by part.
func (t *Type) hasParts(dims []int) bool {
	return t.Members != nil || len(dims) > 1 || len(dims) == 1 && !t.Chars && blocks[t.Form] == 0
}

// isBlock reports whether the bytes of a value of t mean one thing.
func (t *Type) isBlock() bool {
	if t.bits > 0 { // a number, in up to nine bytes
		return false
	}
	return t.Size > 8 || t.Size&(t.Size-1) != 0 || blocks[t.Form] == t.Size && t.Size > 4
}

// isOne reports whether an array of t with the bytes b is one thing: a text or a block.
func (t *Type) isOne(b []byte) bool {
	switch block := blocks[t.Form]; {
	case t.Chars:
		return isText(b)
	case t.Members != nil:
		return false
	case block == everything:
		return t.Form != Unknown
	default:
		return t.Size < block && len(b) == block
	}
}

// isText reports whether an array of characters holds text: it is followed only by zeros,
// or it looks like text.
func isText(b []byte) bool {
	text := UntilNUL(b)
	if isZero(b[len(text):]) {
		return true
	}
	for _, c := range text {
		if c < ' ' && c != '\t' && c != '\n' || c == 0x7f {
			return false
		}
	}
	return len(text) > 0 && utf8.Valid(text)
}

func (w *objectWalk) structure(t *Type, at, end int) {
	w.BeginStruct()
	n := 0
	for i := range t.Members {
		m := &t.Members[i]
		start := at + m.Offset
		if m.Offset < 0 || start < at || start >= end || !w.isShown(&m.Type, start, m.Shift, end) {
			continue
		}
		if w.left--; w.left < 0 {
			break
		}
		w.Member(n, m)
		n++
		w.value(&m.Type, m.Type.Dims, start, m.Shift)
	}
	w.EndStruct()
}

// isShown reports whether a value of t that starts at byte at of the object is shown. The
// struct that it is in ends at limit.
func (w *objectWalk) isShown(t *Type, at, shift, limit int) bool {
	end := at + t.length()
	if end < at || end > limit && !(t.hasParts(t.Dims) || len(t.Dims) > 0) {
		return false
	}
	end = min(end, limit)
	if w.Zeros {
		return true
	}
	if _, some := w.absent(at, end); some {
		return true
	}
	b := w.object.Bytes[at:end]
	if t.bits > 0 {
		return t.narrow(b, shift) != 0
	}
	return !isZero(b)
}

// pointsToItself reports whether both pointers of a list_head point to the list_head
// itself.
func (w *objectWalk) pointsToItself(t *Type, at int) bool {
	b, addr := w.object.Bytes[at:at+16], w.object.Addr+uint64(at)
	return w.object.Addr != 0 && Load(b[:8], t.Big) == addr && Load(b[8:], t.Big) == addr
}

// absent reports whether a part of the object could not be read at all, and whether some
// of it could not be read.
func (w *objectWalk) absent(start, end int) (whole, some bool) {
	missing := 0
	for _, r := range w.object.Absent {
		missing += max(0, min(end, r.End)-max(start, r.Start))
	}
	return missing > 0 && missing >= end-start, missing > 0
}

// array visits an array of t that starts at byte at of the object.
func (w *objectWalk) array(t *Type, dims []int, at int) {
	inner := dims[1:]
	size := t.Size * elements(inner)
	if t.Chars && len(inner) == 0 {
		t = &byteType
	}
	w.BeginArray(t)
	if size <= 0 {
		w.EndArray(NoRest)
		return
	}
	there := min(dims[0], (len(w.object.Bytes)-at)/size)
	shown, sparse, rest := w.plan(t, dims, at, size, there)
	n := 0
	for i, next := 0, 0; i < shown; i = next {
		next = i + 1
		start := at + i*size
		if sparse && w.isNothing(start, start+size) {
			continue
		}
		if w.left--; w.left < 0 {
			break
		}
		if !w.Full {
			if t.list && len(inner) == 0 {
				next = max(next, i+w.empty(t, start, size, shown-i))
			} else if equal := w.equal(start, size, shown-i); equal >= minEqual {
				next = i + equal
			}
		}
		w.Element(n, i, next-1)
		n++
		w.value(t, inner, start, 0)
	}
	w.EndArray(rest)
}

// minEqual is the least number of equal elements of an array that are shown as one.
const minEqual = 8

// empty returns how many lists in a row are empty, from start on, up to most.
func (w *objectWalk) empty(t *Type, start, size, most int) int {
	for n := range most {
		at := start + n*size
		if _, some := w.absent(at, at+size); some || !w.pointsToItself(t, at) {
			return n
		}
	}
	return most
}

// equal returns how many elements in a row are equal, from start on, up to most: they
// have the same bytes, or none could be read.
func (w *objectWalk) equal(start, size, most int) int {
	first := w.object.Bytes[start : start+size]
	away, some := w.absent(start, start+size)
	if some && !away {
		return 1
	}
	for n := 1; n < most; n++ {
		at := start + n*size
		switch all, some := w.absent(at, at+size); {
		case all != away || some != away:
			return n
		case !away && !bytes.Equal(w.object.Bytes[at:at+size], first):
			return n
		}
	}
	return most
}

// byteType is the Type of the characters of an array that is not text.
var byteType = Type{Form: Byte, Size: 1, count: 1}

// plan decides how many elements of an array are shown, whether elements that are zero
// are left out, and what is said of the rest.
func (w *objectWalk) plan(t *Type, dims []int, at, size, there int) (shown int, sparse bool, rest Rest) {
	if there < dims[0] {
		rest = RestCut
	}
	if w.Full {
		return there, false, rest
	}
	if whole := w.absentFrom(at, there, size); whole < there-1 {
		there, rest = whole, RestAbsent
	}
	if w.Zeros {
		return there, false, rest
	}
	count := 0
	for i := range there {
		if start := at + i*size; !w.isNothing(start, start+size) {
			shown = i + 1
			count++
		}
	}
	sparse = t.Members != nil || shown > 8 && 2*count < shown
	switch {
	case shown == there, sparse:
	case rest == RestAbsent:
		shown = there
	default:
		rest = RestZero
	}
	return shown, sparse, rest
}

// absentFrom returns the first element of an array from which on nothing could be read.
func (w *objectWalk) absentFrom(at, there, size int) int {
	if len(w.object.Absent) == 0 {
		return there
	}
	last := w.object.Absent[len(w.object.Absent)-1]
	if last.End < at+there*size {
		return there
	}
	return min(there, max(0, (last.Start-at+size-1)/size))
}

// isNothing reports whether a part of the object was read and is zero.
func (w *objectWalk) isNothing(start, end int) bool {
	_, some := w.absent(start, end)
	return !some && isZero(w.object.Bytes[start:end])
}

func isZero(b []byte) bool {
	for len(b) >= 8 {
		if binary.NativeEndian.Uint64(b) != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// narrow returns the number in b; for a bit field, the one after shift bits.
func (t *Type) narrow(b []byte, shift int) uint64 {
	if t.bits == 0 {
		return Load(b, t.Big)
	}
	var low, high uint64 // of at most nine bytes
	for i, c := range b {
		switch {
		case t.Big:
			high, low = high<<8|low>>56, low<<8|uint64(c)
		case i < 8:
			low |= uint64(c) << (8 * i)
		default:
			high |= uint64(c)
		}
	}
	if t.Big {
		shift = 8*len(b) - shift - t.bits
	}
	by := uint(max(shift, 0))
	return widen(low>>by|high<<(64-by), t.bits, t.Signed)
}
