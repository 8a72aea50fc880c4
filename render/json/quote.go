package json

import (
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/render"
)

// appendString appends b as a JSON string. It also escapes the runes that render.AppendEscaped
// escapes, so that a line of JSON can be shown on a terminal. Each byte that is not UTF-8
// becomes U+FFFD, and exact is then false.
func appendString(dst, b []byte) (_ []byte, exact bool) {
	dst, exact = append(dst, '"'), true
	for len(b) > 0 {
		n := render.PlainLen(b, '"')
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
			dst = appendUnit(dst, r)
		default:
			r -= 0x10000 // a surrogate pair
			dst = appendUnit(dst, 0xd800|r>>10)
			dst = appendUnit(dst, 0xdc00|r&0x3ff)
		}
		b = b[n:]
	}
	return append(dst, '"'), exact
}

// appendUnit appends one unit of UTF-16.
func appendUnit(dst []byte, u rune) []byte {
	return hex.AppendEncode(append(dst, '\\', 'u'), []byte{byte(u >> 8), byte(u)})
}

// appendText appends b as a member, and a member with its bytes if b is not UTF-8.
func appendText(dst []byte, name, bytesName string, b []byte) []byte {
	dst = append(append(append(dst, '"'), name...), `":`...)
	dst, exact := appendString(dst, b)
	if exact {
		return dst
	}
	return appendHex(dst, bytesName, b)
}

// appendHex appends a further member with b in hexadecimal.
func appendHex(dst []byte, name string, b []byte) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":"`...)
	return append(hex.AppendEncode(dst, b), '"')
}

// appendMember appends a further member, a string.
func appendMember(dst []byte, name, value string) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	dst, _ = appendString(dst, []byte(value))
	return dst
}

// appendCount appends a further member, a number.
func appendCount(dst []byte, name string, n uint64) []byte {
	dst = append(append(append(dst, `,"`...), name...), `":`...)
	return strconv.AppendUint(dst, n, 10)
}
