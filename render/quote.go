package render

import (
	"strconv"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// NoQuote is a byte that is not ASCII, so that no quote is escaped.
const NoQuote = 0xff

// appendQuoted appends b as a C string in double quotes, which strconv.Unquote reverses.
// Bytes that are not UTF-8 become \xNN.
func appendQuoted(dst, b []byte) []byte {
	return append(AppendEscaped(append(dst, '"'), b, '"'), '"')
}

// AppendEscaped appends b so that nothing in it can move the cursor, end the line, change
// the direction of writing or be invisible: it escapes all but printable UTF-8, and also
// the backslash and quote.
func AppendEscaped(dst, b []byte, quote byte) []byte {
	for len(b) > 0 {
		n := PlainLen(b, quote)
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

// PlainLen returns how many bytes at the start of b are ASCII that needs no escape.
func PlainLen(b []byte, quote byte) int {
	for i, c := range b {
		if c < ' ' || c >= 0x7f || c == quote || c == '\\' {
			return i
		}
	}
	return len(b)
}

func appendEscapedASCII(dst []byte, c, quote byte) []byte {
	const letters = "abtnvfr" // for the bytes 7 to 13
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
