package render

import (
	"bytes"
	"slices"
	"strings"
)

// leastWrapped is the narrowest terminal that text is wrapped for.
const leastWrapped = 40

// AppendWrapped appends a line of escaped text, broken at spaces so that it fits into so
// many columns. col is where it begins; the further lines are indented. A command to copy
// is never broken. Text in quotes, such as a spec, and an expression with spaces stay whole
// if a line has room for them. If the width of the terminal is not known, 0 columns, or
// very small, the line is appended as it is.
func AppendWrapped(dst, text []byte, col, indent, columns int) []byte {
	if columns < leastWrapped || col+TextWidth(text) <= columns {
		return append(dst, text...)
	}
	begun := false // a word is on the current line
	for len(text) > 0 {
		word := firstPiece(text, columns-indent)
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

// firstPiece returns the first words of text that stay on one line, with the spaces before
// them. room is the width of a line.
func firstPiece(text []byte, room int) []byte {
	if command := firstCommand(text); command != nil {
		return command
	}
	piece := firstTerm(text)
	for last := piece; ; {
		next := firstTerm(text[len(piece):])
		if len(next) == 0 || !isOperator(last) && !isOperator(next) {
			break
		}
		piece, last = text[:len(piece)+len(next)], next
	}
	for _, p := range [][]byte{piece, firstTerm(text)} {
		if TextWidth(bytes.TrimLeft(p, " ")) <= room {
			return p
		}
	}
	return firstWord(text)
}

// firstWord returns the first word of text, with the spaces before it.
func firstWord(text []byte) []byte {
	start := len(text) - len(bytes.TrimLeft(text, " "))
	if end := bytes.IndexByte(text[start:], ' '); end >= 0 {
		return text[:start+end]
	}
	return text
}

// firstTerm returns the first word of text. If it begins with a quote, or opens a bracket
// that it does not close, it returns the words to the other quote or bracket.
func firstTerm(text []byte) []byte {
	word := firstWord(text)
	for n := len(word); ; {
		if isWhole(bytes.TrimLeft(text[:n], " ")) {
			return text[:n]
		}
		if n == len(text) {
			return word
		}
		n += len(firstWord(text[n:]))
	}
}

// isWhole reports whether all quotes and brackets of a term are closed.
func isWhole(term []byte) bool {
	if len(term) > 0 && bytes.IndexByte([]byte(`'"`), term[0]) >= 0 {
		end := bytes.TrimRight(term, ",;:.?)")
		return len(end) > 1 && end[len(end)-1] == term[0]
	}
	open := 0
	for _, c := range term {
		switch c {
		case '(', '[', '{':
			open++
		case ')', ']', '}':
			open--
		}
	}
	return open <= 0
}

// isOperator reports whether a word is an operator between two terms.
func isOperator(word []byte) bool {
	word = bytes.TrimLeft(word, " ")
	return len(word) > 0 && len(bytes.Trim(word, "=!<>&|~")) == 0
}

// programs are those that messages name in commands to copy.
var programs = []string{
	"docker", "echo", "grep", "jq", "modprobe", "mount", "nsenter", "pahole", "runuser", "source", "sysctl", "trace-cmd", "tsnoop",
}

// firstCommand returns the command that text begins with, nil if it begins with none. After
// the program and its first argument a command ends before a word that is not followed by
// anything but words:
//
//	tsnoop record --recover FILE makes a file of them
func firstCommand(text []byte) []byte {
	command := firstWord(text)
	if !slices.Contains(programs, strings.Trim(string(command), " (")) {
		return nil
	}
	for takes := false; len(command) < len(text) && !endsClause(command); {
		rest := text[len(command):]
		word := firstTerm(rest)
		first := bytes.Equal(command, firstWord(text))
		if !first && !takes && !isArgument(word) && (endsClause(word) || !isArgument(firstTerm(rest[len(word):]))) {
			break
		}
		switch w := strings.TrimLeft(string(word), " "); w {
		case "help", "completion": // take a word
			takes = true
		default:
			takes = strings.HasPrefix(w, "-") && !strings.Contains(w, "=")
		}
		command = text[:len(command)+len(word)]
	}
	return command
}

// endsClause reports whether a sentence or a part of it ends with a word.
func endsClause(word []byte) bool {
	last := word[len(word)-1]
	return last == ',' || last == ';' || last == ':' || last == '?' || last == ')' && bytes.Count(word, []byte("(")) < bytes.Count(word, []byte(")"))
}

// isArgument reports whether a word is more likely an argument of a command than a word of
// a sentence.
func isArgument(word []byte) bool {
	word = bytes.TrimLeft(word, " ")
	return len(bytes.TrimFunc(word, func(r rune) bool { return r >= 'a' && r <= 'z' || strings.ContainsRune(",;:.", r) })) > 0
}
