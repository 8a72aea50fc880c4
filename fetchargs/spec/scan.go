package spec

import (
	"math/big"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// A tokenKind says what a token is. Punctuation is its own kind: tokenKind("->").
type tokenKind string

const (
	tokEOF    tokenKind = "end of the spec"
	tokIdent  tokenKind = "name"
	tokNumber tokenKind = "number"
	tokQuoted tokenKind = "string"
	tokDollar tokenKind = "$name"
	tokReg    tokenKind = "%register"
	tokSymbol tokenKind = "@symbol"
	tokBad    tokenKind = "character"
)

type token struct {
	kind tokenKind
	text string // as written
	Span
}

// punctuation lists the punctuation; longer ones come before their beginnings.
var punctuation = []string{
	"->", "==", "!=", "<=", ">=", "&&", "||", "..",
	"(", ")", "[", "]", ",", ".", ":", "=", "<", ">", "&", "~", "!", "*", "-", "|", "+",
}

// scanAt returns the token at or after pos. It skips white space.
func scanAt(text string, pos int) token {
	for pos < len(text) && isSpace(text[pos]) {
		pos++
	}
	if pos == len(text) {
		return token{tokEOF, "", Span{pos, pos}}
	}
	make := func(kind tokenKind, end int) token {
		return token{kind, text[pos:end], Span{pos, end}}
	}
	switch c := text[pos]; {
	case isLetter(c):
		return make(tokIdent, identEnd(text, pos))
	case IsDigit(c):
		return make(tokNumber, identEnd(text, pos))
	case c == '"' || c == '\'':
		return make(tokQuoted, quotedEnd(text, pos))
	case c == '$':
		return make(tokDollar, identEnd(text, pos+1))
	case c == '%':
		return make(tokReg, identEnd(text, pos+1))
	case c == '@':
		return make(tokSymbol, identEnd(text, pos+1))
	}
	for _, p := range punctuation {
		if strings.HasPrefix(text[pos:], p) {
			return make(tokenKind(p), pos+len(p))
		}
	}
	// Take a whole character, so that the caret is under all of its bytes.
	end := pos + 1
	for end < len(text) && text[end]&0xc0 == 0x80 {
		end++
	}
	return make(tokBad, end)
}

// scanAddress scans an IPv4, IPv6 or MAC address at pos, which can only be a value. It
// returns nil if there is none. An IP address may have the length of a prefix after it:
// 10.0.0.0/8.
func scanAddress(text string, pos int) *Literal {
	bytes, end, ok := scanBytes(text, pos)
	if !ok {
		return nil
	}
	l := &Literal{Kind: Address, Bytes: bytes}
	if end < len(text) && text[end] == '/' && len(bytes) != 6 {
		digits := identEnd(text, end+1)
		if bits, err := strconv.Atoi(text[end+1 : digits]); err == nil {
			l.Bits, end = bits, digits
			if bits == 0 || bits > 8*len(bytes) {
				l.Bits = -1 // impossible
			}
		}
	}
	l.Text, l.Span = text[pos:end], Span{pos, end}
	return l
}

// scanBytes is scanAddress without the prefix.
func scanBytes(text string, pos int) (bytes []byte, end int, ok bool) {
	end = pos
	for end < len(text) && (isHex(text[end]) || text[end] == ':' || text[end] == '.') {
		end++
	}
	word := text[pos:end]
	if !strings.ContainsAny(word, ":.") {
		return nil, pos, false
	}
	if mac, err := net.ParseMAC(word); err == nil && len(mac) == 6 && strings.Count(word, ":") == 5 {
		return mac, end, true
	}
	if ip, err := netip.ParseAddr(word); err == nil {
		return ip.AsSlice(), end, true
	}
	return nil, pos, false
}

// scanTime scans a time with its unit at pos, which can only be a value: 10us, 1.5ms. It
// returns nil if there is none.
func scanTime(text string, pos int) *Literal {
	end := pos
	for end < len(text) && (IsDigit(text[end]) || text[end] == '.') {
		end++
	}
	unit := strings.TrimPrefix(text[end:], "µ")
	word := end + len(text[end:]) - len(unit)
	word = identEnd(text, word)
	switch text[end:word] {
	case "ns", "us", "µs", "ms", "s":
	default:
		return nil
	}
	d, err := time.ParseDuration(text[pos:word])
	if err != nil || end == pos {
		return nil
	}
	return &Literal{Kind: Time, Text: text[pos:word], Int: big.NewInt(int64(d)), Span: Span{pos, word}}
}

// scanFunc scans the name of a function or a module at or after pos. The compiler may
// have put dots into a function's name (foo.isra.0), a module's name may have hyphens,
// and a user may write a glob: tcp_*, vfs_rea[dl]*.
func scanFunc(text string, pos int) token {
	for pos < len(text) && isSpace(text[pos]) {
		pos++
	}
	end := pos
	for end < len(text) {
		if IsWord(text[end]) || strings.IndexByte(".$*?-", text[end]) >= 0 {
			end++
		} else if n := classEnd(text[end:]); n > 0 {
			end += n
		} else {
			break
		}
	}
	kind := tokIdent
	if end == pos {
		return scanAt(text, pos)
	}
	return token{kind, text[pos:end], Span{pos, end}}
}

// classEnd returns the length of the class [a-z] at the beginning of text, 0 if there is
// none.
func classEnd(text string) int {
	class, _, closed := strings.Cut(text, "]")
	if !closed || class == "" || class[0] != '[' {
		return 0
	}
	for _, c := range []byte(class[1:]) {
		if !IsWord(c) && strings.IndexByte("-^!", c) < 0 {
			return 0
		}
	}
	return len(class) + 1
}

// IsGlob reports whether a function's name is a pattern.
func IsGlob(name string) bool { return strings.ContainsAny(name, "*?[") }

// withoutClasses returns the glob without its [a-z].
func withoutClasses(glob string) string {
	for {
		before, class, ok := strings.Cut(glob, "[")
		if !ok {
			return glob
		}
		_, after, _ := strings.Cut(class, "]")
		glob = before + after
	}
}

func identEnd(text string, pos int) int {
	for pos < len(text) && IsWord(text[pos]) {
		pos++
	}
	return pos
}

// quotedEnd returns the end of a quoted string. Without a closing quote this is the end
// of the text.
func quotedEnd(text string, pos int) int {
	quote := text[pos]
	for i := pos + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(text)
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsWord reports whether c may be part of a name: a letter, a digit or an underscore.
func IsWord(c byte) bool { return isLetter(c) || IsDigit(c) }
func isHex(c byte) bool  { return IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
