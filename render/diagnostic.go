package render

import (
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// pictureWidth is the most columns of a spec that a picture shows if the width of the
// terminal is not known. leastPicture is how many it shows at least.
const pictureWidth, leastPicture = 72, 20

// longestCell is the most bytes of one letter with what combines with it. No real letter
// has more.
const longestCell = 256

// A cell is one letter of a spec, with the marks that combine with it, as it is shown.
type cell struct {
	pos    int // first byte in the spec
	column int // first column on the terminal
	end    int // the column after it
	text   []byte
}

// AppendError appends an error in a spec: the message, a picture of the place, and the
// hint if there is one:
//
//	tsnoop: ip_rcv has no parameter "skbb"
//	    ip_rcv(skbb->len)
//	           ^~~~
//	hint: did you mean skb?
//
// An error in a file begins with its place: opens.tsnoop:3:8.
//
// columns is the width of the terminal, 0 if there is none. If a spec is too long for it,
// only the part around the error is shown. A tab or line break in a spec is shown as one
// space, and characters that are not printable are escaped.
func AppendError(dst []byte, e *spec.Error, color bool, columns int) []byte {
	o := &Options{Color: color}
	dst = append(o.Paint(dst, Failure), "tsnoop:"...)
	dst = append(o.Reset(dst), ' ')
	col := len("tsnoop: ")
	if e.Where != "" {
		start := len(dst)
		dst = append(AppendMessage(dst, e.Where), ": "...)
		col += TextWidth(dst[start:])
	}
	dst = appendMessage(dst, e.Msg, col, columns)
	if e.Text != "" {
		dst = o.appendPicture(dst, e.Text, e.Span, columns)
	}
	if e.Hint != "" {
		dst = append(o.Paint(dst, Heading), "hint:"...)
		dst = appendMessage(append(o.Reset(dst), ' '), e.Hint, len("hint: "), columns)
	}
	return dst
}

// appendMessage appends a line of our own words and quoted pieces of specs, which begins
// at column col, wrapped.
func appendMessage(dst []byte, text string, col, columns int) []byte {
	const indent = len("hint: ")
	return append(AppendWrapped(dst, AppendMessage(nil, text), col, indent, columns), '\n')
}

// AppendMessage appends a line of our own words and what is named in it, which can come
// from a file, the kernel or another user: it escapes what could act on a terminal or end
// the line. A backslash stays one.
func AppendMessage(dst []byte, text string) []byte {
	for i, part := range strings.Split(text, `\`) {
		if i > 0 {
			dst = append(dst, '\\')
		}
		dst = AppendEscaped(dst, []byte(part), NoQuote)
	}
	return dst
}

// appendPicture appends the spec and a line that marks span in it.
func (o *Options) appendPicture(dst []byte, spec string, span spec.Span, columns int) []byte {
	const indent, more = "    ", "..."
	width := pictureWidth
	if columns > 0 {
		width = max(columns-len(indent)-2*len(more)-1, leastPicture)
	}
	spec, span, less, further := around(spec, span)
	cells := split(spec)
	from, to := find(cells, span)
	first, last := window(cells, from, width)

	before := cells[from].column - cells[first].column
	marked := cells[min(to, last)].column - cells[from].column
	dst = append(dst, indent...)
	if first > 0 || less {
		dst = append(dst, more...)
		before += len(more)
	}
	for _, c := range cells[first:last] {
		dst = append(dst, c.text...)
	}
	if last < len(cells)-1 || further {
		dst = append(dst, more...)
		if to > last {
			marked += len(more)
		}
	}
	dst = append(append(dst, '\n'), indent...)
	dst = append(dst, strings.Repeat(" ", before)...)
	dst = append(o.Paint(dst, Caret), '^')
	dst = append(dst, strings.Repeat("~", max(marked, 1)-1)...)
	return append(o.Reset(dst), '\n')
}

// around returns the part of a long spec that a picture of span can show, and the span in
// it. less and more say whether something is missing before and after. To split a spec takes
// long, and one can have many errors. The part begins and ends between two letters of ASCII,
// which nothing combines.
func around(text string, span spec.Span) (part string, in spec.Span, less, more bool) {
	const most = 4096
	plain := func(i int) bool {
		return ' ' <= text[i-1] && text[i-1] <= '~' && ' ' <= text[i] && text[i] <= '~'
	}
	from, to := 0, len(text)
	for i := span.Pos - most; i > 0 && i < span.Pos && i < len(text) && from == 0; i++ {
		if plain(i) {
			from = i
		}
	}
	for i := span.Pos + most; i > span.Pos && i > 0 && i < len(text) && to == len(text); i-- {
		if plain(i) {
			to = i
		}
	}
	return text[from:to], spec.Span{Pos: span.Pos - from, End: min(span.End, to) - from}, from > 0, to < len(text)
}

// split splits a spec into cells, with an empty cell at the end.
func split(spec string) []cell {
	var cells []cell
	column := 0
	for pos := 0; pos < len(spec); {
		_, n := FirstWidth([]byte(spec[pos:min(pos+longestCell, len(spec))]))
		c := cell{pos: pos, column: column}
		switch letter := spec[pos : pos+n]; letter {
		case "\t", "\n", "\r":
			c.text = []byte{' '}
		case "\\":
			c.text = []byte{'\\'}
		default:
			c.text = AppendEscaped(nil, []byte(letter), NoQuote)
		}
		column += TextWidth(c.text)
		c.end = column
		cells = append(cells, c)
		pos += n
	}
	return append(cells, cell{pos: len(spec), column: column, end: column})
}

// find returns the cells that span covers: from, up to but not including to. They are
// equal if it covers none, as after the end.
func find(cells []cell, span spec.Span) (from, to int) {
	end := len(cells) - 1
	for from < end && cells[from+1].pos <= span.Pos {
		from++
	}
	for to = from; to < end && cells[to].pos < span.End; {
		to++
	}
	return from, to
}

// window returns the cells that are shown: all if they fit into width columns, else as
// many as fit, including some before the cell from.
func window(cells []cell, from, width int) (first, last int) {
	end := len(cells) - 1
	start := min(cells[from].column-width/2, cells[end].column-width)
	for first < from && cells[first].column < start {
		first++
	}
	for last = first; last < end && cells[last].end <= cells[first].column+width; {
		last++
	}
	return first, last
}
