package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/json"
)

// longest is the most bytes of a text that are shown. Only dumps of large structs have more.
const longest = 8 << 10

// appendText appends text as it is shown: nothing in it is invisible, ends a line or changes the
// direction of writing. The page makes text of it, never markup.
func appendText[T string | []byte](dst []byte, text T) []byte {
	b, cut := []byte(text), 0
	if len(b) > longest {
		cut = len(b) - longest
		b = b[:longest]
	}
	return appendCut(render.AppendEscaped(dst, b, render.NoQuote), cut)
}

func appendCut(dst []byte, cut int) []byte {
	if cut == 0 {
		return dst
	}
	return fmt.Appendf(dst, "… (%d more bytes)", cut)
}

// isPlain reports whether appendText leaves a text as it is.
func isPlain(s string) bool {
	return len(s) <= longest && render.PlainLen([]byte(s), render.NoQuote) == len(s)
}

// shown returns text as appendText does.
func shown(s string) string { return string(appendText(nil, s)) }

// appendValue appends a value: a number, true or false, "text", the JSON of a struct or array, or
// null.
func appendValue(dst []byte, v *call.Value) []byte {
	switch v.Kind {
	case json.Bool:
		return strconv.AppendBool(dst, v.Number != 0)
	case json.Int:
		return strconv.AppendInt(dst, int64(v.Number), 10)
	case json.Uint:
		return strconv.AppendUint(dst, v.Number, 10)
	case json.Tree:
		return appendTree(dst, v.Text)
	case json.Text, json.Bytes:
		if isNumber(v) {
			return appendText(dst, v.Text)
		}
		b, cut := v.Text, 0
		if len(b) > longest {
			b, cut = b[:longest], len(b)-longest
		}
		return appendCut(append(render.AppendEscaped(append(dst, '"'), b, '"'), '"'), cut)
	}
	return append(dst, "null"...)
}

// isNumber reports whether a text is a number in a form of its own, such as an address.
func isNumber(v *call.Value) bool {
	digits, hex := strings.CutPrefix(string(v.Text[:min(len(v.Text), 20)]), "0x")
	if hex {
		_, err := strconv.ParseUint(digits, 16, 64)
		return err == nil
	}
	return v.Type != "" && !strings.ContainsAny(v.Type, "*[") && !strings.Contains(v.Type, "char")
}

// appendTree appends JSON, and leaves it JSON: only strings in it contain what is not printable.
func appendTree(dst, tree []byte) []byte {
	cut := 0
	if len(tree) > longest {
		tree, cut = tree[:longest], len(tree)-longest
	}
	for len(tree) > 0 {
		r, n := utf8.DecodeRune(tree)
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(dst, `\ufffd`...)
		case strconv.IsPrint(r):
			dst = append(dst, tree[:n]...)
		case r >= 0x10000:
			r -= 0x10000
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		tree = tree[n:]
	}
	return appendCut(dst, cut)
}
