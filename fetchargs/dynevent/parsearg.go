package dynevent

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

var (
	// types matches numbers, bit fields, text, symbol, and the empty type of $comm.
	types = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:([usx])(8|16|32|64)|b(\d{1,2})@(\d{1,2})/(8|16|32|64)|u?string|symbol|)$`)
	})
	memories = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@(.*?)([+-]\d+)?$`) })
)

// ParseBase parses the output of [Base.String].
func ParseBase(text string) (Base, bool) {
	if bits, ok := strings.CutPrefix(text, `\0x`); ok {
		n, err := strconv.ParseUint(bits, 16, 64)
		return Base{Kind: Immediate, N: int64(n)}, err == nil
	}
	if m := memories().FindStringSubmatch(text); m != nil {
		b := Base{Kind: Memory, Name: m[1]}
		var err error
		if m[2] != "" {
			b.N, err = strconv.ParseInt(m[2], 10, 64)
		}
		return b, err == nil && b.Name != ""
	}
	b, ok := BaseNamed(text)
	return b, ok && (b.Kind != Register || IsName(b.Name))
}

// ParseType parses the output of [Type.String].
func ParseType(text string) (Type, bool) {
	m := types().FindStringSubmatch(text)
	if m == nil {
		return Type{}, false
	}
	number := func(i int) int {
		n, _ := strconv.Atoi(m[i])
		return n
	}
	switch {
	case m[1] != "":
		return Number(m[1], number(2)/8), true
	case m[3] != "":
		return Bits(uint32(number(3)), uint32(number(4)), number(5)/8), number(3) > 0
	case text == "symbol":
		return Symbol, true
	}
	return Type{Name: text, Size: CommText.Size}, true
}

// IsName reports whether s can be a name in the kernel: it consists of letters, digits and
// underscores.
func IsName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return c > 0x7f || !spec.IsWord(byte(c)) })
}
