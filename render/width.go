package render

import (
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/mattn/go-runewidth"
)

// widths says how many columns of a terminal a rune takes that stands by itself. What East Asian fonts of old
// had twice as wide, such as Greek, is narrow whatever the locale: so it is on the
// terminals of today, and a file does not depend on where it was written.
var widths = runewidth.Condition{StrictEmojiNeutral: true}

// TextWidth is how many columns printable text takes: two for a wide letter, none for
// marks and whatever else combines with the letter before it.
func TextWidth(b []byte) int {
	n := 0
	for len(b) > 0 {
		width, size := FirstWidth(b)
		n, b = n+width, b[size:]
	}
	return n
}

// FirstWidth is how many columns the first letter of printable text takes, with what
// combines with it, and how many bytes: as Unicode has it, a grapheme cluster.
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

// Shorten cuts printable text that takes more columns, and marks that with "...".
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
