package fetchargs

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	// argTypes are the types of fetchargs: a number, an array of numbers, a bit
	// field, or text.
	argTypes = regexp.MustCompile(`^(?:([usx])(8|16|32|64)(?:\[(\d{1,2})\])?|b(\d{1,2})@(\d{1,2})/(8|16|32|64)|u?string|symbol)$`)
	memories = regexp.MustCompile(`^@(.*?)([+-]\d+)?$`)
)

// parseArg reads back what [Arg.String] has written.
func parseArg(text string) (Arg, error) {
	var a Arg
	value, typ, typed := strings.Cut(text, ":")
	base, offsets := innermost(value)
	for _, off := range offsets {
		h, err := parseHop(off)
		if err != nil {
			return a, fmt.Errorf("%q: %w", text, err)
		}
		a.Hops = append(a.Hops, h)
	}
	var ok bool
	if a.Base, ok = parseBase(base); !ok {
		return a, fmt.Errorf("%q: unknown start %q", text, base)
	}
	switch {
	case typed:
		ok = a.parseType(typ)
	case a.Base.Kind == Comm && len(a.Hops) == 0:
		a.Type = commType
	default:
		ok = false
	}
	if !ok {
		return a, fmt.Errorf("%q: unknown type %q", text, typ)
	}
	return a, nil
}

// innermost is what stands within all parentheses, and what stands before each of
// them, the innermost first.
func innermost(text string) (base string, offsets []string) {
	for strings.HasSuffix(text, ")") {
		off, rest, ok := strings.Cut(text[:len(text)-1], "(")
		if !ok {
			break
		}
		text, offsets = rest, append([]string{off}, offsets...)
	}
	return text, offsets
}

func parseHop(text string) (h Hop, err error) {
	if len(text) < 2 || text[0] != '+' && text[0] != '-' {
		return h, errors.New("an offset begins with + or -")
	}
	digits := text[1:]
	digits, h.User = strings.CutPrefix(digits, "u")
	h.Offset, err = strconv.ParseInt(text[:1]+digits, 10, 64)
	return h, err
}

// parseBase reads back what [Base.String] has written.
func parseBase(text string) (Base, bool) {
	if bits, ok := strings.CutPrefix(text, `\0x`); ok {
		n, err := strconv.ParseUint(bits, 16, 64)
		return Base{Kind: Immediate, N: int64(n)}, err == nil
	}
	if m := memories.FindStringSubmatch(text); m != nil {
		b := Base{Kind: Memory, Name: m[1]}
		var err error
		if m[2] != "" {
			b.N, err = strconv.ParseInt(m[2], 10, 64)
		}
		return b, err == nil && b.Name != ""
	}
	return baseNamed(text)
}

func (a *Arg) parseType(text string) bool {
	m := argTypes.FindStringSubmatch(text)
	if m == nil {
		return false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(m[i])
		return n
	}
	switch {
	case m[1] != "":
		a.Type, a.Count = numberType(m[1], number(2)/8), number(3)
	case m[4] != "":
		a.Type = bitType(uint32(number(4)), uint32(number(5)), number(6)/8)
	case text == "symbol":
		a.Type = symbolType
	default:
		a.Type = Type{Name: text, Size: stringType.Size}
	}
	return m[3] == "" || a.Count > 0
}
