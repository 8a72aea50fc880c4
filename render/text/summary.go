package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/render"
)

// Summary appends a table with a line for each function, and how long the calls
// took as histograms. An empty line is between it and what is above and below.
func (p *Printer) Summary(dst []byte, s *render.Summary) []byte {
	if p.summed || !s.Alone {
		dst = append(dst, '\n')
	}
	p.summed = true
	dst = p.appendPeriod(dst, s)
	rows := s.Rows(p.functions)
	if len(rows) == 0 {
		dst = append(dst, "no calls\n"...)
	} else {
		dst = p.appendTable(dst, rows)
	}
	for i := range rows {
		if rows[i].Durations.Count > 0 {
			dst = p.appendHistogram(append(dst, '\n'), &rows[i], s.Width)
		}
	}
	if !s.Alone && !s.Final {
		dst = append(dst, '\n')
	}
	return dst
}

// appendPeriod appends the line above a table.
func (p *Printer) appendPeriod(dst []byte, s *render.Summary) []byte {
	dst = append(p.opts.Paint(dst, render.Aside), "Summary of "...)
	switch {
	case s.Interval:
		dst = render.AppendDuration(append(dst, "the last "...), s.Span())
	case s.Final:
		dst = render.AppendDuration(append(dst, "all "...), s.Span())
	default:
		dst = append(render.AppendDuration(append(dst, "all "...), s.Span()), " so far"...)
	}
	return append(p.opts.Reset(dst), '\n')
}

// columns are what stands above a table. All but the first and the last are
// numbers.
var columns = cells{"FUNCTION", "CALLS", "TOTAL", "MEAN", "P50", "P99", "MAX", "ERRORS"}

// cells are the texts of one line of a table. The errors are at the end because
// there may be many.
type cells [8]string

func (p *Printer) appendTable(dst []byte, rows []render.SummaryRow) []byte {
	table := make([]cells, len(rows))
	var width [len(columns)]int
	for i := range columns {
		width[i] = len(columns[i])
		for j := range rows {
			table[j] = rowCells(&rows[j])
			width[i] = max(width[i], render.TextWidth([]byte(table[j][i])))
		}
	}
	dst = appendCells(p.opts.Paint(dst, render.Aside), &columns, &width, &render.Options{})
	dst = append(p.opts.Reset(dst), '\n')
	for j := range table {
		dst = append(appendCells(dst, &table[j], &width, &p.opts), '\n')
	}
	return dst
}

// appendCells appends a line with the columns that wide.
func appendCells(dst []byte, line *cells, width *[len(columns)]int, o *render.Options) []byte {
	dst = o.Paint(dst, render.Heading)
	start := len(dst)
	dst = o.Reset(padRight(append(dst, line[0]...), start, width[0]))
	last := len(line) - 1
	for i := 1; i < last; i++ {
		dst = append(dst, "  "...)
		start = len(dst)
		dst = padLeft(append(dst, line[i]...), start, width[i])
	}
	if line[last] == "" {
		return dst
	}
	return o.Reset(append(o.Paint(append(dst, "  "...), render.Failure), line[last]...))
}

func rowCells(r *render.SummaryRow) cells {
	c := cells{r.Title, strconv.FormatUint(r.Calls, 10), "-", "-", "-", "-", "-", "-"}
	if d := &r.Durations; d.Count > 0 {
		for i, ns := range []uint64{d.Total, d.Mean(), d.Percentile(50), d.Percentile(99), d.Max} {
			c[2+i] = string(render.AppendDuration(nil, ns))
		}
	}
	if r.MayFail {
		var errors []string
		for _, e := range r.Errors() {
			errors = append(errors, fmt.Sprintf("%d %s", e.Calls, render.AppendErrnoName(nil, e.Errno)))
		}
		c[7] = strings.Join(errors, ", ")
	}
	return c
}
