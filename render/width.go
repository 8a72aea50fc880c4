package render

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/mattn/go-runewidth"
)

// widths knows how many columns of a terminal a single rune takes. Letters that East
// Asian fonts used to have twice as wide, such as Greek, count as narrow in every locale:
// terminals of today show them so, and a file must not depend on where it was written.
var widths = runewidth.Condition{StrictEmojiNeutral: true}

// TextWidth returns how many columns printable text takes: two for a wide letter, none
// for marks and whatever else combines with the letter before it.
func TextWidth(b []byte) int {
	n := 0
	for len(b) > 0 {
		width, size := FirstWidth(b)
		n, b = n+width, b[size:]
	}
	return n
}

// FirstWidth returns the width in columns and the size in bytes of the first letter of
// printable text, with what combines with it: a grapheme cluster of Unicode.
func FirstWidth(b []byte) (width, size int) {
	if b[0] < utf8.RuneSelf && (len(b) == 1 || b[1] < utf8.RuneSelf) {
		return 1, 1
	}
	size, _, _ = graphemes.SplitFunc(b, true)
	for i := 0; i < size && width == 0; {
		r, n := utf8.DecodeRune(b[i:size])
		width, i = widths.RuneWidth(r), i+n
	}
	return width, size
}

// Shorten cuts printable text that takes more columns, and marks the cut with "...".
func Shorten(b []byte, columns int) []byte {
	if TextWidth(b) <= columns {
		return b
	}
	const more = "..."
	n := 0
	for room := columns - len(more); ; {
		width, size := FirstWidth(b[n:])
		if room -= width; room < 0 {
			return append(b[:n], more...)
		}
		n += size
	}
}
