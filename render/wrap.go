package render

import (
	"bytes"
	"strings"
)

// leastWrapped is the narrowest terminal that text is wrapped for.
const leastWrapped = 40

// AppendWrapped appends a line of escaped text, broken at spaces so that it fits into so
// many columns. col is where it begins; the further lines are indented. What stands in
// quotes, such as a spec to copy, stays whole if a line has room for it. A terminal that
// is not known, 0 columns, or very narrow gets the line as it is.
func AppendWrapped(dst, text []byte, col, indent, columns int) []byte {
	if columns < leastWrapped || col+TextWidth(text) <= columns {
		return append(dst, text...)
	}
	begun := false // a word is on the current line
	for len(text) > 0 {
		word, room := firstWord(text), columns-indent
		if quoted := firstQuoted(text); TextWidth(quoted) <= room {
			word = quoted
		}
		space := len(word) - len(bytes.TrimLeft(word, " "))
		if width := TextWidth(word); !begun || col+width <= columns {
			dst, col = append(dst, word...), col+width
		} else {
			dst = append(append(dst, '\n'), strings.Repeat(" ", indent)...)
			dst, col = append(dst, word[space:]...), indent+width-space
		}
		begun, text = true, text[len(word):]
	}
	return dst
}

// firstWord returns the first word of text, with the spaces before it.
func firstWord(text []byte) []byte {
	start := len(text) - len(bytes.TrimLeft(text, " "))
	if end := bytes.IndexByte(text[start:], ' '); end >= 0 {
		return text[:start+end]
	}
	return text
}

// firstQuoted returns the first word of text, or all words that begin with a quote and
// end with one.
func firstQuoted(text []byte) []byte {
	word := firstWord(text)
	if start := len(word) - len(bytes.TrimLeft(word, " ")); start == len(word) || word[start] != '\'' {
		return word
	}
	for n := len(word); ; n += len(firstWord(text[n:])) {
		if b := bytes.TrimRight(text[:n], ",;:.)"); len(b) > 1 && b[len(b)-1] == '\'' {
			return text[:n]
		}
		if n == len(text) {
			return word
		}
	}
}
