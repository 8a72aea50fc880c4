package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/render/sum"
)

// A functionRow is a row of the summary. Numbers beside the text are for sorting.
type functionRow struct {
	Name                   string
	Calls, Errors          uint64
	Errnos                 string // "ENOENT 12, EAGAIN 2"
	Total, Mean, P99, Max  string
	NTotal, NMean, N99, NX uint64 // ns
	Timed                  bool
	Bars                   []bar
	Histogram              string // in words
}

// A bar is a part of a histogram, in a box of barsWidth and barsHeight.
type bar struct {
	X, Y, Width, Height int
	Text                string
}

const barsWidth, barsHeight = 132, 24

func (r *reporter) functions() (all []functionRow) {
	for _, s := range r.sums.sorted() {
		h := &s.times
		row := functionRow{Name: s.Name, Calls: s.Calls, Errors: s.Errors, Errnos: s.names(), Timed: h.Count > 0,
			NTotal: h.Total, NMean: h.Mean(), N99: h.Percentile(99), NX: h.Max}
		if row.Timed {
			row.Total, row.Mean, row.P99, row.Max = ns(h.Total), ns(row.NMean), ns(row.N99), ns(h.Max)
			row.Bars, row.Histogram = bars(h)
		}
		all = append(all, row)
	}
	return all
}

// names returns the errors of a function, the most frequent first.
func (r *row) names() string {
	const most = 3
	names := slices.SortedFunc(maps.Keys(r.errnos), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.errnos[b], r.errnos[a]), strings.Compare(a, b))
	})
	var all []string
	for i, name := range names {
		if i == most {
			all = append(all, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		all = append(all, shown(name)+" "+strconv.FormatUint(r.errnos[name], 10))
	}
	return strings.Join(all, ", ")
}

// bars returns the picture of a histogram with a bar for each power of two.
func bars(h *sum.Histogram) (all []bar, words string) {
	var octaves []sum.Octave
	most := uint64(1)
	for o := range h.Octaves {
		octaves = append(octaves, o)
		most = max(most, o.Count)
	}
	width := min(barsWidth/len(octaves), 12)
	var text []string
	for i, o := range octaves {
		one := fmt.Sprintf("%s to %s: %d", ns(o.From), ns(o.To), o.Count)
		if o.Count > 0 {
			height := max(1, int(float64(o.Count)/float64(most)*barsHeight))
			all = append(all, bar{i * width, barsHeight - height, max(width-1, 1), height, one})
			text = append(text, one)
		}
	}
	return all, strings.Join(text, ", ")
}

// ns returns a duration with three digits or more, as "1.23ms".
func ns(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10) + "ns"
	}
	if n > 1<<62 {
		return strconv.FormatFloat(float64(n)/1e9, 'g', 4, 64) + "s"
	}
	for _, unit := range []time.Duration{10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9} {
		if time.Duration(n) < 1000*unit {
			return strings.Replace(time.Duration(n).Round(unit).String(), "µs", "us", 1)
		}
	}
	return time.Duration(n).Round(time.Second).String()
}

// figures returns the numbers at the top of the page.
func (r *reporter) figures() []figure {
	var failed uint64
	for _, s := range r.sums.rows {
		failed += s.Errors
	}
	all := []figure{{"calls", number(r.all)}, {"functions", number(uint64(len(r.sums.rows)))}, {"failed", number(failed)}}
	if n := len(r.calls.tasks.all); uint64(len(r.calls.at)) == r.all {
		all = append(all, figure{"tasks", number(uint64(n))})
	}
	if lost := max(r.losses.total, r.losses.here); lost > 0 {
		all = append(all, figure{"events lost", number(lost)})
	}
	if r.line.last > 0 {
		all = append(all, figure{"to the last call", ns(uint64(r.line.last))})
	}
	return all
}

// number returns a number with commas between thousands.
func number(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
