package render

import (
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// noQuote is no ASCII character: nothing is escaped for being the quote.
const noQuote = 0xff

// appendQuoted appends b as a C string in double quotes. strconv.Unquote gives
// the same bytes back. Bytes that are no UTF-8 become \xNN.
func appendQuoted(dst, b []byte) []byte {
	return append(appendEscaped(append(dst, '"'), b, '"'), '"')
}

// appendEscaped appends b so that nothing in it can move the cursor, end the
// line, change the direction of writing or be invisible: what is not printable
// UTF-8 is escaped, and the backslash and quote are, too.
func appendEscaped(dst, b []byte, quote byte) []byte {
	for len(b) > 0 {
		n := plainLen(b, quote)
		dst, b = append(dst, b[:n]...), b[n:]
		if len(b) == 0 {
			break
		}
		if c := b[0]; c < utf8.RuneSelf {
			dst = appendEscapedASCII(dst, c, quote)
			b = b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, '\\', 'x', hexDigits[b[0]>>4], hexDigits[b[0]&15])
		case strconv.IsPrint(r):
			dst = append(dst, b[:n]...)
		case r < 0x10000:
			dst = appendRune(append(dst, '\\', 'u'), r, 4)
		default:
			dst = appendRune(append(dst, '\\', 'U'), r, 8)
		}
		b = b[n:]
	}
	return dst
}

// plainLen is how many bytes at the start of b are ASCII that stands for itself.
func plainLen(b []byte, quote byte) int {
	for i, c := range b {
		if c < ' ' || c >= 0x7f || c == quote || c == '\\' {
			return i
		}
	}
	return len(b)
}

func appendEscapedASCII(dst []byte, c, quote byte) []byte {
	const letters = "abtnvfr" // of the bytes 7 to 13
	switch {
	case c == quote || c == '\\':
		return append(dst, '\\', c)
	case c >= 7 && c <= 13:
		return append(dst, '\\', letters[c-7])
	case c < ' ' || c == 0x7f:
		return append(dst, '\\', 'x', hexDigits[c>>4], hexDigits[c&15])
	}
	return append(dst, c)
}

func appendRune(dst []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&15])
	}
	return dst
}

// appendChar appends c as a C character constant.
func appendChar(dst []byte, c byte) []byte {
	switch {
	case c == 0:
		return append(dst, `'\0'`...)
	case c >= utf8.RuneSelf:
		return append(dst, '\'', '\\', 'x', hexDigits[c>>4], hexDigits[c&15], '\'')
	}
	return append(appendEscapedASCII(append(dst, '\''), c, '\''), '\'')
}

// appendJSONString appends b as a JSON string. Runes that appendEscaped would
// escape are escaped here too, so that a line of JSON can be shown on a
// terminal. Each byte that is no UTF-8 becomes U+FFFD; exact is false then.
func appendJSONString(dst, b []byte) (_ []byte, exact bool) {
	dst, exact = append(dst, '"'), true
	for len(b) > 0 {
		n := plainLen(b, '"')
		dst, b = append(dst, b[:n]...), b[n:]
		if len(b) == 0 {
			break
		}
		if b[0] == '"' || b[0] == '\\' {
			dst = append(dst, '\\', b[0])
			b = b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		switch {
		case r == '\n':
			dst = append(dst, '\\', 'n')
		case r == '\t':
			dst = append(dst, '\\', 't')
		case r == utf8.RuneError && n == 1:
			dst, exact = append(dst, `\ufffd`...), false
		case strconv.IsPrint(r):
			dst = append(dst, b[:n]...)
		case r < 0x10000:
			dst = appendRune(append(dst, '\\', 'u'), r, 4)
		default:
			r -= 0x10000 // a surrogate pair
			dst = appendRune(append(dst, '\\', 'u'), 0xd800|r>>10, 4)
			dst = appendRune(append(dst, '\\', 'u'), 0xdc00|r&0x3ff, 4)
		}
		b = b[n:]
	}
	return append(dst, '"'), exact
}
