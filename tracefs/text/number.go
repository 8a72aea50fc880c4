package text

import "bytes"

// number parses a decimal or hexadecimal number, a character or a symbol.
func (e *encoder) number(rest, next []byte) (uint64, []byte, bool) {
	if len(rest) >= 3 && rest[0] == '\'' && rest[2] == '\'' {
		return uint64(rest[1]), rest[3:], true
	}
	if v, n := parseNumber(rest); n > 0 && bytes.HasPrefix(rest[n:], next) {
		return v, rest[n:], true
	}
	end := bytes.Index(rest, next)
	if end <= 0 || !isSymbol(rest[:end]) {
		return 0, nil, false
	}
	return e.symbol(rest[:end]), rest[end:], true
}

// isSymbol reports whether s may be what %pS prints: "vfs_read+0x10/0x2a0 [mod]",
// followed by " <ffffffff81000010>" if the option sym-addr is set.
func isSymbol(s []byte) bool {
	i := bytes.IndexByte(s, ' ')
	return i < 0 || i+1 < len(s) && (s[i+1] == '[' || s[i+1] == '<')
}

// parseNumber returns the number at the start of s and its length, 0 if there is none.
func parseNumber(s []byte) (v uint64, n int) {
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		n++
	}
	if bytes.HasPrefix(s[n:], []byte("0x")) {
		v, d := parseHex(s[n+2:])
		if neg || d == 0 {
			return 0, 0
		}
		return v, n + 2 + d
	}
	digits := n
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		v = v*10 + uint64(s[n]-'0')
		n++
	}
	if n == digits {
		return 0, 0
	}
	if neg {
		v = -v
	}
	return v, n
}

func parseHex(s []byte) (v uint64, n int) {
	for ; n < len(s); n++ {
		switch c := s[n]; {
		case '0' <= c && c <= '9':
			v = v<<4 | uint64(c-'0')
		case 'a' <= c && c <= 'f':
			v = v<<4 | uint64(c-'a'+10)
		default:
			return v, n
		}
	}
	return v, n
}

// maxKnown limits the cache of symbols.
const maxKnown = 1 << 16

// symbol returns the address of "vfs_read+0x10/0x2a0 [mod]" or "0xffff...", or 0 if it
// is not known.
func (e *encoder) symbol(s []byte) uint64 {
	s, module, _ := bytes.Cut(s, []byte(" ")) // sym-addr adds an address
	if v, n := parseNumber(s); n > 0 && n == len(s) {
		return v
	}
	name, offset, _ := bytes.Cut(s, []byte("+0x"))
	off, _ := parseHex(offset)
	if e.symbols != nil {
		base := e.symbols.addr(name, module)
		if base == 0 {
			return 0
		}
		return base + off
	}
	base, ok := e.known[string(name)]
	if !ok && e.addr != nil {
		base, _ = e.addr(string(name))
		if len(e.known) < maxKnown {
			e.known[string(name)] = base
		}
	}
	if base == 0 {
		return 0
	}
	return base + off
}
