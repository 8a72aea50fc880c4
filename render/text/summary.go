package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
)

// mostKeys is the most rows with keys in a table. JSON has all of them.
const mostKeys = 50

// mostHistograms is the most rows with keys that have a histogram of durations.
const mostHistograms = 10

// Summary appends a table with a line for each function or key, and histograms of the
// durations and of the other numbers. Empty lines separate it from what is above and
// below.
func (p *Printer) Summary(dst []byte, s *sum.Summary) []byte {
	if s.Heat {
		return p.appendHeat(dst, s)
	}
	if p.summed || !s.Alone {
		dst = append(dst, '\n')
	}
	p.summed = true
	p.group.continues = false // the next line is far below its heading
	dst = p.appendPeriod(dst, s)
	rows := s.Rows(p.functions, mostKeys)
	if len(rows) == 0 {
		dst = append(dst, "no calls\n"...)
	} else {
		dst = p.appendTable(dst, s, rows)
	}
	dst = appendSwitchedOff(dst, s, rows)
	if s.Mixed() {
		dst = append(dst, "There were more values than are kept: calls with some rare values are among the others.\n"...)
	}
	for i := range rows {
		if s.HasHistogram(&rows[i]) && (rows[i].Keys == nil || i < mostHistograms) {
			dst = p.appendHistogram(append(dst, '\n'), &rows[i], s.Width)
		}
		for j, name := range s.Numbers {
			if j < len(rows[i].Numbers) {
				dst = p.appendNumbers(append(dst, '\n'), &rows[i], name, &rows[i].Numbers[j], s.IsAge(&rows[i], j), s.Width)
			}
		}
	}
	if !s.Alone && !s.Final {
		dst = append(dst, '\n')
	}
	return dst
}

// appendPeriod appends the line above a table.
func (p *Printer) appendPeriod(dst []byte, s *sum.Summary) []byte {
	dst = append(p.opts.Paint(dst, render.Aside), "Summary of "...)
	switch {
	case s.Interval:
		dst = render.AppendDuration(append(dst, "the last "...), s.Span())
	case s.Final:
		dst = render.AppendDuration(append(dst, "all "...), s.Span())
	default:
		dst = append(render.AppendDuration(append(dst, "all "...), s.Span()), " so far"...)
	}
	return append(p.opts.Reset(appendLost(dst, s, ", ")), '\n')
}

// appendLost appends how many events were lost, if any were.
func appendLost(dst []byte, s *sum.Summary, before string) []byte {
	switch {
	case s.Lost > 0 && s.LostMore:
		dst = strconv.AppendUint(append(append(dst, before...), "more than "...), s.Lost, 10)
	case s.Lost > 0:
		dst = strconv.AppendUint(append(dst, before...), s.Lost, 10)
	case s.LostMore:
		dst = append(append(dst, before...), "some"...)
	default:
		return dst
	}
	return append(dst, " events lost"...)
}

// appendSwitchedOff appends a line for each function whose calls are not all counted because
// there were too many.
func appendSwitchedOff(dst []byte, s *sum.Summary, rows []sum.Row) []byte {
	shown := map[*render.Function]bool{}
	for i := range rows {
		r := &rows[i]
		if r.SwitchedOff == nil || shown[r.Function] {
			continue
		}
		shown[r.Function] = true
		if at := r.SwitchedOff.Time; at > s.From {
			dst = render.AppendDuration(append(append(dst, r.Title...), " was switched off after "...), at-s.From)
			dst = append(dst, " (--max-rate): its later calls are not counted.\n"...)
		} else if !s.Heat { // which the row of that time shows
			dst = append(append(dst, r.Title...), " is switched off (--max-rate): its calls are not counted.\n"...)
		}
	}
	return dst
}

// widestKey is the width of the column of keys; a wider key moves the rest of its row.
const widestKey = 40

// heads returns the headings of a table, with the names of the keys. All columns are
// numbers, except the function, the keys and the errors.
func heads(by []string) []string {
	all := []string{"FUNCTION"}
	for _, key := range by {
		if sum.IsKeyWord(key) {
			key = strings.ToUpper(key)
		}
		all = append(all, string(render.AppendEscaped(nil, []byte(key), render.NoQuote)))
	}
	return append(all, "CALLS", "TOTAL", "MEAN", "P50", "P99", "MAX", "ERRORS")
}

func (p *Printer) appendTable(dst []byte, s *sum.Summary, rows []sum.Row) []byte {
	l := layout{heads: heads(s.By), names: 1 + len(s.By)}
	table := make([][]string, len(rows))
	for j := range rows {
		table[j] = rowCells(&rows[j], len(s.By))
		if s.Unknown(&rows[j]) {
			table[j][l.names] = "-"
		}
	}
	for i := range l.heads {
		width := len(l.heads[i])
		for j := range table {
			width = max(width, render.TextWidth([]byte(table[j][i])))
		}
		if i >= 1 && i < l.names {
			width = min(width, max(widestKey, len(l.heads[i])))
		}
		l.width = append(l.width, width)
	}
	dst = l.appendCells(p.opts.Paint(dst, render.Aside), l.heads, &render.Options{})
	dst = append(p.opts.Reset(dst), '\n')
	for j := range table {
		dst = append(l.appendCells(dst, table[j], &p.opts), '\n')
	}
	return dst
}

// A layout has the widths of the columns of a table. The first ones are names,
// left-aligned. The errors come last because there may be many.
type layout struct {
	heads []string
	width []int
	names int
}

func (l *layout) appendCells(dst []byte, line []string, o *render.Options) []byte {
	dst = o.Paint(dst, render.Heading)
	start := len(dst)
	dst = o.Reset(padRight(append(dst, line[0]...), start, l.width[0]))
	last := len(line) - 1
	for i := 1; i < last; i++ {
		dst = append(dst, "  "...)
		start = len(dst)
		dst = append(dst, line[i]...)
		if i < l.names {
			dst = padRight(dst, start, l.width[i])
			continue
		}
		dst = padLeft(dst, start, l.width[i])
	}
	if line[last] == "" {
		return dst
	}
	return o.Reset(append(o.Paint(append(dst, "  "...), render.Failure), line[last]...))
}

// rowCells returns the texts of a row in a table with columns for so many keys.
func rowCells(r *sum.Row, keys int) []string {
	c := []string{r.Title}
	for i := range keys {
		switch {
		case i < len(r.Keys) && (i == 0 || !r.Keys[i].Others):
			c = append(c, string(r.Keys[i].Append(nil)))
		default:
			c = append(c, "")
		}
	}
	c = append(c, strconv.FormatUint(r.Calls, 10))
	if d := &r.Durations; d.Count > 0 {
		for _, ns := range []uint64{d.Total, d.Mean(), d.Percentile(50), d.Percentile(99), d.Max} {
			c = append(c, string(render.AppendDuration(nil, ns)))
		}
	} else {
		c = append(c, "-", "-", "-", "-", "-")
	}
	if !r.MayFail {
		return append(c, "-")
	}
	var errors []string
	for _, e := range r.Errors() {
		errors = append(errors, fmt.Sprintf("%d %s", e.Calls, render.AppendErrnoName(nil, e.Errno)))
	}
	return append(c, strings.Join(errors, ", "))
}
