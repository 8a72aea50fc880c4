//go:build vm

package suite

import (
	"strconv"
	"strings"
)

// An straced is a call as "strace -X raw -v" prints it.
type straced struct {
	name string
	args []any
	ret  string
}

// A cutText is text of strace's, of which more follows if cut is set.
type cutText struct {
	text string
	cut  bool
}

// An opaque is something that is not compared, such as a set of signals.
type opaque string

// straceCalls returns the calls in the output of "strace -f", by task.
func straceCalls(out string) map[int][]straced {
	calls, begun := map[int][]straced{}, map[int]string{}
	for line := range strings.Lines(out) {
		pid, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		tid, _ := strconv.Atoi(pid)
		text = strings.TrimSpace(text)
		if first, ok := strings.CutSuffix(text, "<unfinished ...>"); ok {
			begun[tid] = first
			continue
		}
		if rest, ok := strings.CutPrefix(text, "<... "); ok {
			_, rest, _ = strings.Cut(rest, " resumed>")
			text = begun[tid] + rest
		}
		name, args, ok := strings.Cut(text, "(")
		if !ok || strings.Contains(name, " ") {
			continue // a signal, or the end of a task
		}
		p := straceParser{args}
		c := straced{name: name, args: p.list(')')}
		_, c.ret, _ = strings.Cut(p.rest, "= ")
		c.ret, _, _ = strings.Cut(c.ret, " ")
		calls[tid] = append(calls[tid], c)
	}
	return calls
}

// A straceParser parses the arguments of a call: numbers, cutText, lists as []any, structs
// as map[string]any, and opaques.
type straceParser struct{ rest string }

func (p *straceParser) list(end byte) (list []any) {
	for !p.ends(end) {
		list = append(list, p.value())
	}
	return list
}

// ends skips what separates values, and the end of a list if it is reached.
func (p *straceParser) ends(end byte) bool {
	p.rest = strings.TrimLeft(p.rest, ", ")
	if after, ok := strings.CutPrefix(p.rest, "/*"); ok {
		_, p.rest, _ = strings.Cut(after, "*/")
		return p.ends(end)
	}
	if p.rest == "" || p.rest[0] == end {
		p.rest = p.rest[min(1, len(p.rest)):]
		return true
	}
	return false
}

func (p *straceParser) value() any {
	switch c := p.rest[0]; {
	case c == '"':
		return p.text()
	case strings.HasPrefix(p.rest, `@"`): // an abstract name
		p.rest = p.rest[1:]
		text := p.text()
		return cutText{"\x00" + text.text, text.cut}
	case strings.HasPrefix(p.rest, "~["): // all but these
		p.rest = p.rest[2:]
		p.list(']')
		return opaque("~[]")
	case c == '[':
		p.rest = p.rest[1:]
		return p.list(']')
	case c == '{':
		p.rest = p.rest[1:]
		return p.members()
	}
	n := strings.IndexAny(p.rest, ",)]} (")
	if n < 0 {
		n = len(p.rest)
	}
	if n == 0 {
		n = 1 // such as the bracket of another list: go on after it
	}
	word := p.rest[:n]
	if p.rest = p.rest[n:]; strings.HasPrefix(p.rest, "(") {
		p.rest = p.rest[1:]
		p.list(')')
		return opaque(word)
	}
	if after, ok := strings.CutPrefix(p.rest, " => "); ok { // what it becomes
		p.rest = after
		return p.value()
	}
	if number, ok := straceNumber(word); ok {
		return number
	}
	return opaque(word)
}

func (p *straceParser) members() map[string]any {
	m := map[string]any{}
	for !p.ends('}') {
		name, after, ok := strings.Cut(p.rest, "=")
		if !ok || strings.ContainsAny(name, `,}"`) {
			p.value() // "..."
			continue
		}
		p.rest = after
		m[name] = p.value()
	}
	return m
}

func (p *straceParser) text() cutText {
	n := 1
	for n < len(p.rest) && p.rest[n] != '"' {
		if n++; p.rest[n-1] == '\\' {
			n++
		}
	}
	text := cutText{text: unoctal(p.rest[1:n])}
	p.rest, text.cut = strings.CutPrefix(p.rest[min(n+1, len(p.rest)):], "...")
	return text
}

// unoctal undoes the escapes of C, with octal numbers of one to three digits.
func unoctal(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if s[0] != '\\' || len(s) == 1 {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		n := 1
		for n < len(s) && n < 4 && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		switch {
		case n > 1:
			x, _ := strconv.ParseUint(s[1:n], 8, 16)
			b.WriteByte(byte(x))
		case s[1] == 'x':
			n = 4
			x, _ := strconv.ParseUint(s[2:n], 16, 8)
			b.WriteByte(byte(x))
		default:
			n = 2
			if at := strings.IndexByte("ntrvfab", s[1]); at >= 0 {
				b.WriteByte("\n\t\r\v\f\a\b"[at])
			} else {
				b.WriteByte(s[1])
			}
		}
		s = s[n:]
	}
	return b.String()
}

// straceNumber returns the value of -1, 0x10, 0644, NULL, 8192*1024.
func straceNumber(word string) (uint64, bool) {
	if word == "NULL" {
		return 0, true
	}
	product := uint64(1)
	for _, factor := range strings.Split(word, "*") {
		n, err := strconv.ParseUint(factor, 0, 64)
		if signed, failed := strconv.ParseInt(factor, 0, 64); err != nil && failed == nil {
			n, err = uint64(signed), nil
		}
		if err != nil {
			return 0, false
		}
		product *= n
	}
	return product, true
}
