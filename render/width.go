package render

import (
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// widths says how many columns of a terminal a rune takes. What East Asian fonts of old
// had twice as wide, such as Greek, is narrow whatever the locale: so it is on the
// terminals of today, and a file does not depend on where it was written.
var widths = runewidth.Condition{StrictEmojiNeutral: true}

// TextWidth is how many columns printable text takes: two for a wide rune, none for one
// that combines with the rune before it.
func TextWidth(b []byte) int {
	n := 0
	for len(b) > 0 {
		width, size := FirstWidth(b)
		n, b = n+width, b[size:]
	}
	return n
}

// FirstWidth is how many columns the first rune of printable text takes, and how many
// bytes.
func FirstWidth(b []byte) (width, size int) {
	if b[0] < utf8.RuneSelf {
		return 1, 1
	}
	r, size := utf8.DecodeRune(b)
	return widths.RuneWidth(r), size
}
