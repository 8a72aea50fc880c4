package text

import (
	"bytes"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A Doubt is what text does not tell of a string.
type Doubt byte

const (
	NoDoubt Doubt = iota
	// MaybeNext: the next string of the event that there is has the same text. Since
	// 5.11 or so the kernel shows that where a pointer on the way to the pointer to
	// the first could not be followed.
	MaybeNext
	// MaybeLonger: the string itself, or the one before it, may hold what looks as if
	// the next one begins.
	MaybeLonger
)

// doubts is the name of the field that WithDoubts adds.
const doubts = "__doubts"

// WithDoubts is f with a field more, behind all others. In records that are made of
// text it has a Doubt of each arg, from offset at on.
func WithDoubts(f *tracefs.Format) (_ *tracefs.Format, at int) {
	with := *f
	args := len(newLineFormat(f).args)
	with.Fields = append(slices.Clip(f.Fields), tracefs.FormatField{Name: doubts, Offset: f.Size, Size: args})
	with.Size += args
	return &with, f.Size
}

// doubt notes what the text of a record does not tell of arg i.
func (e *encoder) doubt(f *lineFormat, i int, d Doubt) {
	if f.doubts > 0 && i < len(f.args) && f.args[i].isString() {
		e.data[f.doubts+i] = byte(d)
	}
}

// doubtEnd notes that arg i, a string, may end further behind: rest begins with the
// next arg, and has it once more.
func (e *encoder) doubtEnd(f *lineFormat, i int, rest []byte) {
	if i+1 < len(f.args) && bytes.Contains(rest[1:], f.args[i].quoted) {
		e.doubt(f, i, MaybeLonger)
		e.doubt(f, i+1, MaybeLonger)
	}
}

// doubtRepeated notes which strings are the same as the next one.
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

// text is what the record has of a string, with its NUL; nil if that faulted.
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
