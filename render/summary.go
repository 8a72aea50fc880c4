package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Period is the time that a summary is about.
type Period struct {
	From, To uint64 // ns on the trace clock
	Interval bool   // it began with the summary before, not with the trace
	Final    bool   // the trace is over
}

func (t *Period) span() uint64 { return max(t.To, t.From) - t.From }

// AppendSummary appends what calls came to: a table with a line for each
// function, and how long the calls took as histograms, the lines of which take
// width columns. sums has an element for each of the printer's sources.
//
// Or, a line for each function, JSON:
//
//	{"summary":"f","module":"m","spec":"f(x)","ts_ns":9,"span_ns":8,"interval":true,"calls":7,
//	 "errors":{"ENOENT":2},"orphans":1,"unfinished":1,"total_ns":900,"mean_ns":180,"min_ns":1,
//	 "max_ns":600,"p50_ns":90,"p99_ns":600,"histogram":[{"from_ns":1,"to_ns":2,"calls":1},...]}
//
// "ts_ns" is the end of the period and "span_ns" how long it was. "spec" is
// there if several specs are about one function, "errors" if it is known
// whether calls failed, "total_ns" and what follows if calls were timed.
func (p *Printer) AppendSummary(dst []byte, sums []calls.Summary, when Period, width int) []byte {
	rows := p.rows(sums)
	if p.opts.JSON {
		for _, r := range rows {
			dst = p.appendJSONSummary(dst, r, &when)
		}
		return dst
	}
	dst = p.appendPeriod(dst, &when)
	if len(rows) == 0 {
		return append(dst, "no calls\n"...)
	}
	dst = p.appendTable(dst, rows)
	for _, r := range rows {
		if r.Durations.Count > 0 {
			dst = p.appendHistogram(append(dst, '\n'), r, width)
		}
	}
	return dst
}

// A summaryRow is what a summary says of one source.
type summaryRow struct {
	*calls.Summary
	source *source
	spec   string // if another source is about a function of that name, else ""
	name   string // escaped
}

// rows are the lines of a table, that of the most time first. Events of another
// tool's file, which nobody may have asked for, are left out if there were none.
func (p *Printer) rows(sums []calls.Summary) []summaryRow {
	named := map[string]int{}
	for i := range p.sources {
		named[p.sources[i].name]++
	}
	var rows []summaryRow
	for i := range sums {
		src := &p.sources[i]
		// Of what was not named, only what was called is of interest.
		if sums[i].Calls == 0 && (src.plan.Func == nil || src.plan.Glob != nil) {
			continue
		}
		r := summaryRow{Summary: &sums[i], source: src}
		if named[src.name] > 1 && src.plan.Spec != nil {
			r.spec = src.plan.Spec.Text
		}
		r.name = string(appendEscaped(nil, []byte(cmp.Or(r.spec, src.name)), noQuote))
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b summaryRow) int {
		return cmp.Or(cmp.Compare(b.Durations.Total, a.Durations.Total), cmp.Compare(a.name, b.name))
	})
	return rows
}

// appendPeriod appends the line above a table.
func (p *Printer) appendPeriod(dst []byte, when *Period) []byte {
	dst = append(p.opts.color(dst, aside), "Summary of "...)
	switch {
	case when.Interval:
		dst = appendDuration(append(dst, "the last "...), when.span())
	case when.Final:
		dst = appendDuration(append(dst, "all "...), when.span())
	default:
		dst = append(appendDuration(append(dst, "all "...), when.span()), " so far"...)
	}
	return append(p.opts.reset(dst), '\n')
}

// columns are what stands above a table. All but the first and the last are
// numbers.
var columns = cells{"FUNCTION", "CALLS", "TOTAL", "MEAN", "P50", "P99", "MAX", "ERRORS"}

// cells are the texts of one line of a table. The errors are at the end because
// there may be many.
type cells [8]string

func (p *Printer) appendTable(dst []byte, rows []summaryRow) []byte {
	table := make([]cells, len(rows))
	var width [len(columns)]int
	for i := range columns {
		width[i] = len(columns[i])
		for j := range rows {
			table[j] = rows[j].cells()
			width[i] = max(width[i], textWidth([]byte(table[j][i])))
		}
	}
	dst = appendCells(p.opts.color(dst, aside), &columns, &width, &Options{})
	dst = append(p.opts.reset(dst), '\n')
	for j := range table {
		dst = append(appendCells(dst, &table[j], &width, &p.opts), '\n')
	}
	return dst
}

// appendCells appends a line with the columns that wide.
func appendCells(dst []byte, line *cells, width *[len(columns)]int, o *Options) []byte {
	dst = o.color(dst, heading)
	start := len(dst)
	dst = o.reset(padRight(append(dst, line[0]...), start, width[0]))
	last := len(line) - 1
	for i := 1; i < last; i++ {
		dst = append(dst, "  "...)
		start = len(dst)
		dst = padLeft(append(dst, line[i]...), start, width[i])
	}
	if line[last] == "" {
		return dst
	}
	return o.reset(append(o.color(append(dst, "  "...), failure), line[last]...))
}

func (r *summaryRow) cells() cells {
	c := cells{r.name, strconv.FormatUint(r.Calls, 10), "-", "-", "-", "-", "-", "-"}
	if d := &r.Durations; d.Count > 0 {
		for i, ns := range []uint64{d.Total, d.Mean(), d.Percentile(50), d.Percentile(99), d.Max} {
			c[2+i] = string(appendDuration(nil, ns))
		}
	}
	if r.source.verdict != nil {
		var errors []string
		for _, e := range r.Errors() {
			errors = append(errors, fmt.Sprintf("%d %s", e.Calls, appendErrnoName(nil, e.Errno)))
		}
		c[7] = strings.Join(errors, ", ")
	}
	return c
}
