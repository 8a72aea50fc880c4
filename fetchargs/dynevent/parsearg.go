package dynevent

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// ParseBase parses the output of [Base.String].
func ParseBase(text string) (Base, bool) {
	if text == emptyText {
		return Base{Kind: EmptyText}, true
	}
	if bits, ok := strings.CutPrefix(text, `\0x`); ok {
		n, err := strconv.ParseUint(bits, 16, 64)
		return Base{Kind: Immediate, N: int64(n)}, err == nil
	}
	if name, ok := strings.CutPrefix(text, "@"); ok {
		b := Base{Kind: Memory, Name: name}
		var err error
		if i := strings.LastIndexAny(name, "+-"); i >= 0 && name[i+1:] != "" && strings.Trim(name[i+1:], "0123456789") == "" {
			b.Name = name[:i]
			b.N, err = strconv.ParseInt(name[i:], 10, 64)
		}
		return b, err == nil && b.Name != "" && !strings.Contains(b.Name, "\n")
	}
	b, ok := BaseNamed(text)
	return b, ok && (b.Kind != Register || IsName(b.Name))
}

// ParseType parses the output of [Type.String].
func ParseType(text string) (Type, bool) {
	switch text {
	case "symbol":
		return Symbol, true
	case "", "string", "ustring": // the empty type is that of $comm
		return Type{Name: text, Size: CommText.Size}, true
	}
	if bits, ok := strings.CutPrefix(text, "b"); ok {
		bits, container, _ := strings.Cut(bits, "/")
		width, offset, _ := strings.Cut(bits, "@")
		n, err := parseBits(width)
		shift, err2 := parseBits(offset)
		size, ok := wordSize(container)
		return Bits(n, shift, size), ok && cmp.Or(err, err2) == nil && n > 0
	}
	size, ok := wordSize(text[1:])
	return Number(text[:1], size), ok && strings.Contains("usx", text[:1])
}

// wordSize returns the bytes of a number with that many bits.
func wordSize(bits string) (int, bool) {
	i := slices.Index([]string{"8", "16", "32", "64"}, bits)
	return 1 << max(i, 0), i >= 0
}

// parseBits parses a number of bits, of at most two digits.
func parseBits(text string) (uint32, error) {
	n, err := strconv.ParseUint(text, 10, 8)
	if len(text) > 2 {
		err = strconv.ErrRange
	}
	return uint32(n), err
}

// IsName reports whether s can be a name in the kernel: it consists of letters, digits and
// underscores.
func IsName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c > 0x7f || !spec.IsWord(byte(c)) })
}
