package text

import (
	"bytes"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// leastColumns is the narrowest terminal that lines are laid out for. A narrower one
// breaks them as it likes.
const leastColumns = 40

// A Screen is a Printer for a terminal. The column of the task is as wide as the tasks
// so far, and what is longer than a line goes on below it, indented: nothing is cut.
// What fits looks as a Printer has it.
type Screen struct {
	*Printer
	lines []byte // as the Printer has them
	width int    // of the column COMM-TID
}

// NewScreen makes a Screen for a terminal of Options.Columns, which may change.
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

// mostWidth is how wide the column COMM-TID becomes on a terminal of that many columns.
// A task that is wider moves its own line alone.
func mostWidth(columns int) int { return max(commWidth, min(columns/4, 24)) }

// appendTask appends the column COMM-TID and a mark behind it.
func (s *Screen) appendTask(dst, comm []byte, tid int) []byte {
	start := len(dst)
	dst = appendTaskName(dst, comm, tid)
	if w := render.TextWidth(dst[start:]); w > s.width {
		s.width = max(s.width, min(w, mostWidth(s.opts.Columns())))
	}
	return append(padRight(dst, start, s.width), ' ', callMark)
}

// Open appends the line above the columns, with Options.Header.
func (s *Screen) Open(dst []byte) []byte {
	if !s.opts.Header {
		return dst
	}
	return s.appendHeader(dst, s.width)
}

// Begin holds the line of a call that begins back.
func (s *Screen) Begin(dst []byte, c *calls.Call) []byte {
	columns := s.measure()
	s.lines = s.Printer.Begin(s.lines[:0], c)
	return appendLines(dst, s.lines, columns)
}

// End appends the line, or the end, of a call that is over.
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

// measure is how many columns the terminal has now. The calls of a tree are indented so
// far that half of what is behind the columns is left of a line.
func (s *Screen) measure() int {
	columns := s.opts.Columns()
	s.levels = render.MaxIndent
	if columns >= leastColumns {
		before := timeWidths[s.opts.Time] + len(" CPU ") + s.width
		s.levels = min(max((columns-before)/4, 4), render.MaxIndent)
	}
	return columns
}

// appendLines appends lines, and lays them out if the terminal is not too narrow.
func appendLines(dst, lines []byte, columns int) []byte {
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		dst = append(appendFolded(dst, lines[:end], columns), '\n')
		lines = lines[end+1:]
	}
	return dst
}

// Summary appends a table, the rows of which may go on below.
func (s *Screen) Summary(dst []byte, what *render.Summary) []byte {
	s.lines = s.Printer.Summary(s.lines[:0], what)
	return appendLines(dst, s.lines, s.opts.Columns())
}
