package tracepoint

import (
	"strings"
)

// A Word is what the kernel prints for a value of a field, or for a bit of it.
type Word struct {
	Value uint64
	Text  string
}

// Words returns what the kernel prints for the values of fields, by the names of these, as far
// as the print fmt shows it by __print_symbolic or __print_flags. constant returns the value of
// a name in C.
func (e *Event) Words(constant func(name string) (int64, bool)) map[string][]Word {
	found := map[string][]Word{}
	for rest := e.Print; ; {
		_, after, ok := strings.Cut(rest, "__print_")
		if !ok {
			return found
		}
		rest = after
		name, _, ok := strings.Cut(after, "(")
		if !ok || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
			continue
		}
		args := arguments(after[len(name)+1:])
		switch {
		case strings.HasPrefix(name, "symbolic") && len(args) > 1: // the words follow
		case strings.HasPrefix(name, "flags") && len(args) > 2:
			args = append(args[:1:1], args[2:]...)
		default:
			continue
		}
		field := fieldOf(args[0])
		if field == "" || found[field] != nil {
			continue
		}
		for _, pair := range args[1:] {
			if w, ok := wordOf(pair, constant); ok {
				found[field] = append(found[field], w)
			}
		}
	}
}

// arguments splits the arguments of a call at commas, up to its closing parenthesis. Commas in
// parentheses, braces and strings do not count.
func arguments(text string) (all []string) {
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			i += quoted(text[i:]) - 1
		case c == '(' || c == '{':
			depth++
		case (c == ')' || c == '}') && depth > 0:
			depth--
		case c == ')':
			return append(all, strings.TrimSpace(text[start:i]))
		case c == ',' && depth == 0:
			all, start = append(all, strings.TrimSpace(text[start:i])), i+1
		}
	}
	return nil
}

// quoted returns the length of the C string that text begins with.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// fieldOf returns the field whose value an expression is, maybe some bits of it, "" if it is
// something else.
func fieldOf(x string) string {
	_, x, ok := strings.Cut(x, "REC->")
	if !ok {
		return ""
	}
	n := 0
	for n < len(x) && isWord(x[n]) {
		n++
	}
	switch rest := strings.TrimLeft(x[n:], " )"); {
	case rest == "", rest[0] == '&' && !strings.Contains(rest, "REC->"):
		return x[:n]
	}
	return ""
}

// wordOf parses {VALUE, "TEXT"}.
func wordOf(pair string, constant func(name string) (int64, bool)) (w Word, ok bool) {
	pair = strings.TrimSuffix(strings.TrimPrefix(pair, "{"), "}")
	parts := arguments(pair + ")")
	if len(parts) != 2 || len(parts[1]) < 3 || parts[1][0] != '"' || quoted(parts[1]) != len(parts[1]) {
		return w, false
	}
	w.Text = parts[1][1 : len(parts[1])-1]
	w.Value, ok = evaluate(parts[0], constant)
	return w, ok
}
