// Package filter is the language of the kernel's event filters: globs, text in quotes, the
// name of the running task. See Documentation/trace/events.rst, "Event filtering".
package filter

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// Glob translates a glob for the kernel's filters, so that it matches what
// globMatch does. lib/glob.c has [!a], and newer kernels also have [^a].
// filter_parse_regex in kernel/trace/trace_events_filter.c takes a leading "!" for
// a negation and a leading digit for an index, and keeps "\" as it is in a pattern
// with "*" only at its ends.
//
// If plain is set, for lines that people read, [^a] becomes [!a]. Kernels of the
// age of 5.10 take the end of a text for a character other than a. So without
// plain, the class lists all characters but a.
func Glob(pattern string, plain bool) string {
	var b strings.Builder
	for rest := pattern; rest != ""; {
		c, n := rest[0], 1
		_, _, class := globClass(rest, 0)
		switch {
		case c == '*' || c == '?':
			b.WriteByte(c)
			for c == '*' && n < len(rest) && rest[n] == '*' {
				n++
			}
		case c == '[' && class:
			n, _, _ = globClass(rest, 0)
			switch {
			case !isInverted(rest):
				b.WriteString(rest[:n])
			case plain:
				b.WriteString("[!" + rest[2:n])
			default:
				b.WriteString(complement(rest[:n]))
			}
		default:
			if c == '\\' && len(rest) > 1 {
				c, n = rest[1], 2
			}
			if strings.IndexByte(`*?[\`, c) >= 0 || b.Len() == 0 && c == '!' {
				b.WriteByte('\\')
			}
			if b.Len() == 0 && spec.IsDigit(c) {
				b.WriteString("[" + string(c) + "]")
			} else {
				b.WriteByte(c)
			}
		}
		rest = rest[n:]
	}
	return b.String()
}

// complement returns a class of the characters that an inverted class matches. In
// it, "]" comes first, "-" last, and "!" and "^" not first.
func complement(class string) string {
	var ranges, late string
	first, last := "", ""
	for c := 1; c < 256; c++ {
		in := func(c int) bool {
			if c == 256 || c == ']' || c == '-' {
				return false
			}
			_, ok, _ := globClass(class, byte(c))
			return ok
		}
		if _, ok, _ := globClass(class, byte(c)); ok && c == ']' {
			first = "]"
		} else if ok && c == '-' {
			last = "-"
		} else if ok {
			from := c
			for in(c + 1) {
				c++
			}
			text := string([]byte{byte(from), '-', byte(c)})
			if from == '!' || from == '^' {
				late += text
			} else {
				ranges += text
			}
		}
	}
	if first+ranges == "" { // only "-", "!" or "^" are left: keep the class inverted
		return "[!" + class[2:]
	}
	return "[" + first + ranges + late + last + "]"
}

// isInverted reports whether the class at the beginning of pattern is [^a] or [!a].
func isInverted(pattern string) bool {
	return len(pattern) > 1 && (pattern[1] == '^' || pattern[1] == '!')
}

// StarsInside reports whether a glob has a star before its last characters.
func StarsInside(pattern string) bool {
	for pattern != "" {
		if pattern[0] == '*' && strings.Trim(pattern, "*") != "" {
			return true
		}
		n, _ := globOne(pattern, 0)
		pattern = pattern[n:]
	}
	return false
}

// TurnedRange returns a range such as z-a, or "". Some kernels match nothing with
// it, newer ones match a-z.
func TurnedRange(pattern string) string {
	for strings.Contains(pattern, "[") && strings.Contains(pattern, "]") {
		n, _ := globOne(pattern, 0)
		if pattern[0] == '[' && n > 1 {
			body := pattern[1 : n-1]
			if isInverted(pattern) {
				body = body[1:]
			}
			for len(body) > 2 {
				if body[1] != '-' {
					body = body[1:]
					continue
				}
				if body[0] > body[2] {
					return body[:3]
				}
				body = body[3:]
			}
		}
		pattern = pattern[n:]
	}
	return ""
}

// Match matches as the kernel's filters do (lib/glob.c): * is any text, ? any
// character, [a-z], [!a-z] and [^a-z] are classes, and \ takes the next character
// as it is. It does not recurse, so that no pattern is slow.
func Match(pattern, s string) bool {
	p, i := 0, 0
	back, mark := -1, 0
	for i < len(s) {
		if p < len(pattern) && pattern[p] == '*' {
			p++
			back, mark = p, i
			continue
		}
		if n, ok := globOne(pattern[p:], s[i]); ok {
			p, i = p+n, i+1
			continue
		}
		if back < 0 {
			return false
		}
		mark++
		p, i = back, mark
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// Begins reports whether some longer text that begins with s matches pattern.
func Begins(pattern, s string) bool {
	now, next := make([]bool, len(pattern)+1), make([]bool, len(pattern)+1)
	now[0] = true
	for i := 0; ; i++ {
		for p := range len(pattern) { // a star may stand for nothing
			if now[p] && pattern[p] == '*' {
				now[p+1] = true
			}
		}
		if i == len(s) {
			return slices.Contains(now[:len(pattern)], true)
		}
		clear(next)
		for p := range len(pattern) {
			if !now[p] {
				continue
			}
			if pattern[p] == '*' {
				next[p] = true
			} else if n, ok := globOne(pattern[p:], s[i]); ok {
				next[p+n] = true
			}
		}
		now, next = next, now
	}
}

// globOne matches one character and returns the length of the pattern that it used.
func globOne(pattern string, c byte) (int, bool) {
	if pattern == "" {
		return 0, false
	}
	switch pattern[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pattern) > 1 {
			return 2, pattern[1] == c
		}
	case '[':
		if n, ok, class := globClass(pattern, c); class {
			return n, ok
		}
	}
	return 1, pattern[0] == c
}

// globClass matches [...]. class is false if the bracket is never closed, so that
// it stands for itself.
func globClass(pattern string, c byte) (n int, ok, class bool) {
	i := 1
	inverted := isInverted(pattern)
	if inverted {
		i++
	}
	for first := true; i < len(pattern); first = false {
		low := pattern[i]
		if low == ']' && !first {
			return i + 1, ok != inverted, true
		}
		high := low
		i++
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			high = pattern[i+1]
			i += 2
		}
		ok = ok || low <= c && c <= high
	}
	return 0, false, false
}

// Quoted puts text in quotes. A filter has two kinds of them.
func Quoted(text string) (string, bool) {
	switch {
	case !strings.Contains(text, `"`):
		return `"` + text + `"`, true
	case !strings.Contains(text, `'`):
		return `'` + text + `'`, true
	}
	return "", false
}
