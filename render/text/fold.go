package text

import (
	"bytes"

	"github.com/tsnoop/tsnoop/render"
)

// callMark marks in a line where the columns end and the call begins. Nothing else in a
// line has this byte, because all that comes from the kernel is escaped.
const callMark = '\x01'

// appendFolded appends a line, folded into several if it takes more than columns. The
// further lines are indented under the call. A line is broken after a comma, before the
// return value, or at a space, and a word that is too long after = or |; a string
// continues as in C:
//
//	caller ->
//	    func(path="/a/path/that/is/"
//	    "long", flags=0) = 0
func appendFolded(dst, line []byte, columns int) []byte {
	mark := bytes.IndexByte(line, callMark)
	if columns < leastColumns || width(line) <= columns {
		if mark >= 0 {
			dst = append(dst, line[:mark]...)
		}
		return append(dst, line[mark+1:]...)
	}
	if mark < 0 {
		mark = 0
	} else {
		dst = append(dst, line[:mark]...)
	}
	f := folding{columns: columns, col: width(line[:mark]), line: bytes.TrimPrefix(line[mark:], []byte{callMark}), call: mark > 0}
	return f.appendTo(dst)
}

// width returns how many columns a line takes. Colours and the mark take none.
func width(line []byte) (n int) {
	for len(line) > 0 {
		w, size := unit(line)
		n, line = n+w, line[size:]
	}
	return n
}

// unit returns the first part of a line that must not be torn apart: a letter with what
// combines with it, an escape, a character constant, "->", or an escape sequence of the
// terminal.
func unit(b []byte) (width, size int) {
	switch b[0] {
	case callMark:
		return 0, 1
	case '-':
		if len(b) > 1 && b[1] == '>' {
			return 2, 2
		}
	case '\x1b':
		return 0, max(bytes.IndexByte(b, 'm'), 0) + 1
	case '\\':
		size = escapeLen(b)
		return size, size
	case '\'':
		if n := 1 + min(len(b)-1, max(1, escapeLen(b[1:]))); n < len(b) && b[n] == '\'' {
			return n + 1, n + 1
		}
	}
	return render.FirstWidth(b)
}

// escapeLen returns the length of the escape at the start of b, 0 if there is none.
func escapeLen(b []byte) int {
	if len(b) == 0 || b[0] != '\\' {
		return 0
	}
	n := 2
	if len(b) > 1 {
		switch b[1] {
		case 'x':
			n = 4
		case 'u':
			n = 6
		case 'U':
			n = 10
		}
	}
	return min(n, len(b))
}

// A folding is a line that is being folded.
type folding struct {
	line    []byte // without the columns
	columns int
	call    bool // the line of a call, not of a member or of a stack

	col    int // column of the next unit
	indent int // of the lines after the first

	spaces int  // spaces at the start of line
	begun  int  // start in line of the current line on the terminal
	quoted bool // inside a string
	depth  int  // nesting of parentheses and braces

	// The last places to break at.
	comma, space, quote place
	part                place // within a word: after = or |
	inside              int   // inside a string; 0 if there is none
}

// A place is where a line may be broken: before at, where the nesting is depth.
type place struct{ at, depth int }

func (f *folding) appendTo(dst []byte) []byte {
	f.spaces = len(f.line) - len(bytes.TrimLeft(f.line, " "))
	f.indent = f.col + f.spaces + 4
	f.indent = min(f.indent, f.columns-max(f.columns/3, leastColumns/2))
	if arrow := f.arrow(); arrow > 0 && f.col+width(f.line[:arrow-1]) <= f.columns && width(f.line[arrow:]) <= f.columns-f.indent {
		dst = f.appendBreak(dst, arrow)
		f.col, f.begun = f.indent, arrow
	}
	for i := f.begun; i < len(f.line); {
		w, size := unit(f.line[i:])
		room := f.columns - f.col
		if f.quoted && f.line[i] != '"' {
			room-- // for the quote, if the string continues on the next line
		}
		if w > room && f.begun < i {
			if f.line[i] == ' ' && !f.quoted {
				f.takeSpace(i) // it may stick out
			}
			dst, i = f.fold(dst, i)
			continue
		}
		f.take(i, size)
		i, f.col = i+size, f.col+w
	}
	return append(dst, f.line[f.begun:]...)
}

// arrow returns where the call begins after its caller, 0 if the caller is not shown.
func (f *folding) arrow() int {
	const arrow = " -> "
	i := bytes.Index(f.line, []byte(arrow))
	if !f.call || i < 0 || bytes.IndexByte(f.line[:i], '(') >= 0 {
		return 0
	}
	return i + len(arrow)
}

// take records whether the line may be broken at the unit at i.
func (f *folding) take(i, size int) {
	if f.quoted {
		if f.line[i] == '"' {
			f.quoted = false
		} else {
			f.inside = i + size
		}
		return
	}
	switch c := f.line[i]; c {
	case '"':
		f.quoted, f.inside, f.quote = true, 0, place{i, f.depth}
	case '(', '[', '{':
		f.depth++
	case '=', '|':
		f.part = place{i + 1, f.depth}
	case ')', ']', '}':
		f.depth = max(f.depth-1, 0)
	case ' ':
		f.takeSpace(i)
	}
}

// takeSpace records the space at i.
func (f *folding) takeSpace(i int) {
	next := place{i + 1, f.depth}
	switch {
	case i < f.spaces || f.line[i-1] == '=' || i+1 == len(f.line) || bytes.HasPrefix(f.line[i+1:], []byte("->")):
	case f.line[i-1] == ',' || f.call && f.depth == 0 && f.beginsPart(i):
		f.comma = next
	default:
		f.space = next
	}
}

// beginsPart reports whether the return value, or the function after its caller, follows
// the space at i.
func (f *folding) beginsPart(i int) bool {
	return f.line[i+1] == '=' || f.line[i+1] == '{' || bytes.HasSuffix(f.line[:i], []byte(" ->"))
}

// stringFits reports whether the last string fits on a line of its own.
func (f *folding) stringFits() bool {
	room := f.columns - f.indent - 1
	for i := f.quote.at + 1; i < len(f.line) && f.line[i] != '"'; {
		w, size := unit(f.line[i:])
		if i, room = i+size, room-w; room < 1 {
			return false
		}
	}
	return true
}

// fold ends the terminal's line at the best place up to i, and returns where it
// continues.
func (f *folding) fold(dst []byte, i int) ([]byte, int) {
	at := f.comma
	if at.at <= f.begun {
		at = f.space
	}
	if at.at <= f.begun && f.quote.at > f.begun && f.stringFits() {
		at = f.quote
	}
	if at.at <= f.begun && !f.quoted {
		at = f.part
	}
	switch {
	case at.at > f.begun:
		dst = f.appendBreak(dst, at.at)
		f.quoted, f.depth, f.inside = false, at.depth, 0
		f.comma, f.space, f.quote, f.part = place{}, place{}, place{}, place{} // later places are recorded again
		i = at.at
	case f.quoted && f.inside > f.begun:
		i = f.inside
		dst = append(append(dst, f.line[f.begun:i]...), '"')
		dst = append(f.appendNext(dst), '"')
		f.begun, f.col, f.inside = i, f.indent+1, 0
		return dst, i
	default:
		if f.quoted { // by the unit before
			i, f.quoted = i-1, false
		}
		dst = f.appendBreak(dst, i)
	}
	f.begun, f.col = i, f.indent
	return dst, i
}

// appendBreak appends what is before the place at, without the spaces there, and begins a
// line.
func (f *folding) appendBreak(dst []byte, at int) []byte {
	return f.appendNext(append(dst, bytes.TrimRight(f.line[f.begun:at], " ")...))
}

// appendNext begins a line on the terminal.
func (f *folding) appendNext(dst []byte) []byte {
	dst = append(dst, '\n')
	for range f.indent {
		dst = append(dst, ' ')
	}
	return dst
}
