package text

import (
	"bytes"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A Doubt is what the text leaves open about a string.
type Doubt byte

const (
	// the text is clear
	NoDoubt Doubt = iota
	// MaybeNext means that the next string of the event has the same text. Since about
	// 5.11 the kernel shows the next string if it could not follow a pointer on the way
	// to this one.
	MaybeNext
	// MaybeLonger means that the string, or the one before it, may contain what looks
	// like the start of the next one.
	MaybeLonger
)

// doubts is the name of the field that WithDoubts adds.
const doubts = "__doubts"

// WithDoubts returns f with a further field at the end. In records that are made from
// text it holds a Doubt for each arg, starting at offset at.
func WithDoubts(f *tracefs.Format) (_ *tracefs.Format, at int) {
	with := *f
	args := argsOf(f)
	with.Fields = append(slices.Clip(f.Fields), tracefs.FormatField{Name: doubts, Offset: f.Size, Size: args})
	with.Size += args
	return &with, f.Size
}

// doubt notes what the text leaves open about arg i.
func (e *encoder) doubt(f *lineFormat, i int, d Doubt) {
	if f.doubts > 0 && i < len(f.args) && f.args[i].isString() {
		e.data[f.doubts+i] = byte(d)
	}
}

// doubtEnd notes that arg i, a string, may be longer: rest begins with the next arg and
// contains its start once more.
func (e *encoder) doubtEnd(f *lineFormat, i int, rest []byte) {
	if i+1 < len(f.args) && bytes.Contains(rest[1:], f.args[i].quoted) {
		e.doubt(f, i, MaybeLonger)
		e.doubt(f, i+1, MaybeLonger)
	}
}

// doubtRepeated notes which strings are equal to the next one.
func (e *encoder) doubtRepeated(f *lineFormat) {
	var next []byte
	for i := len(f.args) - 1; i >= 0; i-- {
		text := e.text(&f.args[i])
		if text == nil {
			continue
		}
		if next != nil && bytes.Equal(text, next) && e.data[f.doubts+i] == byte(NoDoubt) {
			e.doubt(f, i, MaybeNext)
		}
		next = text
	}
}

// text returns the bytes of a string in the record, with its NUL, or nil if it faulted.
func (e *encoder) text(f *lineField) []byte {
	if !f.isString() || f.Offset+4 > len(e.data) {
		return nil
	}
	loc := e.order.Uint32(e.data[f.Offset:])
	at, n := int(loc&0xffff), int(loc>>16)
	if n == 0 || at+n > len(e.data) {
		return nil
	}
	return e.data[at : at+n]
}

func (f *lineField) isString() bool { return f.DataLoc && !f.Array }
