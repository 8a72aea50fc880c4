package text

import (
	"bytes"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// leastColumns is the narrowest terminal that lines are folded for. A narrower one breaks
// them itself.
const leastColumns = 40

// A Screen is a Printer for a terminal. The column of the task grows with the tasks so
// far, and a line that is too long continues below, indented: nothing is cut. Other lines
// are those of a Printer.
type Screen struct {
	*Printer
	lines []byte // output of the Printer
	width int    // of the column COMM-TID
	moved bool   // what was on the terminal before the first table is above its first row
}

// NewScreen returns a Screen for a terminal of Options.Columns, which may change.
func NewScreen(sources []render.Source, o render.Options) *Screen {
	s := &Screen{Printer: New(sources, o)}
	s.width = len("COMM-TID")
	if w := o.Columns(); w > 0 {
		s.width = min(max(s.width, w/6), commWidth)
	}
	if o.Group == render.GroupTask {
		s.writeTask = func(dst, _ []byte, _ int) []byte { return append(dst, callMark) }
	} else {
		s.writeTask = s.appendTask
	}
	return s
}

// mostWidth returns the greatest width of the column COMM-TID on a terminal of so many
// columns. A wider task shifts only its own line.
func mostWidth(columns int) int { return max(commWidth, min(columns/4, 24)) }

// appendTask appends the column COMM-TID and a mark after it.
func (s *Screen) appendTask(dst, comm []byte, tid int) []byte {
	start := len(dst)
	dst = appendTaskName(dst, comm, tid)
	if w := render.TextWidth(dst[start:]); w > s.width {
		s.width = max(s.width, min(w, mostWidth(s.opts.Columns())))
	}
	return append(padRight(dst, start, s.width), ' ', callMark)
}

// Open appends the header line, if Options.Header is set.
func (s *Screen) Open(dst []byte) []byte {
	if !s.opts.Header {
		return dst
	}
	return s.appendHeader(dst, s.width)
}

// Begin holds back the line of a call that begins.
func (s *Screen) Begin(dst []byte, c *calls.Call) []byte {
	columns := s.measure()
	s.lines = s.Printer.Begin(s.lines[:0], c)
	return appendLines(dst, s.lines, columns)
}

// End appends the line of a call that is over, or its end.
func (s *Screen) End(dst []byte, c *calls.Call) []byte {
	columns := s.measure()
	s.lines = s.Printer.End(s.lines[:0], c)
	return appendLines(dst, s.lines, columns)
}

// Idle appends the line that was held back.
func (s *Screen) Idle(dst []byte) []byte {
	s.lines = s.Printer.Idle(s.lines[:0])
	return appendLines(dst, s.lines, s.opts.Columns())
}

// Close appends what was held back.
func (s *Screen) Close(dst []byte) []byte { return s.Idle(dst) }

// measure returns the current width of the terminal in columns. It limits the indentation
// of trees so that half of a line after the columns is left.
func (s *Screen) measure() int {
	columns := s.opts.Columns()
	s.levels = render.MaxIndent
	if columns >= leastColumns {
		before := timeWidths[s.opts.Time] + len(" CPU ") + s.width
		if s.opts.Hosts > 0 {
			before += s.opts.Hosts + 1
		}
		s.levels = min(max((columns-before)/4, 4), render.MaxIndent)
	}
	return columns
}

// appendLines appends lines, folded unless the terminal is too narrow.
func appendLines(dst, lines []byte, columns int) []byte {
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		dst = append(appendFolded(dst, lines[:end], columns), '\n')
		lines = lines[end+1:]
	}
	return dst
}

// Summary appends a table whose rows may be folded. One of an interval replaces the one
// before; the rows of a heat map follow each other.
func (s *Screen) Summary(dst []byte, what *sum.Summary) []byte {
	s.lines = s.Printer.Summary(s.lines[:0], what)
	if what.Interval && !what.Heat && what.Alone && s.opts.Rows != nil {
		if rows := s.opts.Rows(); rows > 1 {
			return s.replace(dst, rows)
		}
	}
	return appendLines(dst, s.lines, s.opts.Columns())
}

// replace appends the lines from the first row of the terminal on, as many as fit above
// the row of the cursor. They overwrite what is there, so that nothing flickers.
func (s *Screen) replace(dst []byte, rows int) []byte {
	const home, toEndOfLine, toEnd = "\x1b[H", "\x1b[K", "\x1b[J"
	if !s.moved {
		dst = append(dst, bytes.Repeat([]byte{'\n'}, rows)...)
		s.moved = true
	}
	dst = append(dst, home...)
	lines := appendLines(nil, bytes.TrimLeft(s.lines, "\n"), s.opts.Columns())
	for ; rows > 1 && len(lines) > 0; rows-- {
		end := bytes.IndexByte(lines, '\n')
		dst = append(append(append(dst, lines[:end]...), toEndOfLine...), '\n')
		lines = lines[end+1:]
	}
	return append(dst, toEnd...)
}
