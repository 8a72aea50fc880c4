package tracepoint

import (
	"strings"
	"unicode"
)

// Conversions returns the FORMATs of fields by the names of these, as far as a print fmt shows:
// "x" for NAME=0x%lx, "sym" for NAME=%pS, "bits" for __get_bitmask(NAME). Other fields are not in
// the map.
func Conversions(print string) map[string]string {
	found := make(map[string]string)
	for _, get := range []string{"__get_bitmask(", "__get_rel_bitmask(", "__get_cpumask(", "__get_rel_cpumask("} {
		for _, after := range strings.Split(print, get)[1:] {
			name, _, _ := strings.Cut(after, ")")
			found[name] = "bits"
		}
	}
	for rest := print; ; {
		before, after, ok := strings.Cut(rest, "=")
		if !ok {
			return found
		}
		rest = after
		after = strings.TrimPrefix(after[:min(len(after), 16)], "0x")
		if after, ok = strings.CutPrefix(after, "%"); !ok {
			continue
		}
		name := before[1+strings.LastIndexFunc(before, func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}):]
		conversion := ""
		switch after = strings.TrimLeft(after, "-#0123456789.lhzL"); {
		case strings.HasPrefix(after, "x"), strings.HasPrefix(after, "X"):
			conversion = "x"
		case strings.HasPrefix(after, "pS"), strings.HasPrefix(after, "ps"):
			conversion = "sym"
		default:
			continue
		}
		if found[name] == "" {
			found[name] = conversion
		}
	}
}
