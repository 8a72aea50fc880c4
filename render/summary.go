package render

import (
	"cmp"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Summary is what calls came to in some time.
type Summary struct {
	Sums     []calls.Summary // one of each source
	From, To uint64          // ns on the trace clock
	Interval bool            // it began with the summary before, not with the trace
	Final    bool            // the trace is over
	Alone    bool            // the calls themselves are not shown
	Width    int             // columns that a line may take
}

// Span is how long it was, in ns.
func (s *Summary) Span() uint64 { return max(s.To, s.From) - s.From }

// A SummaryRow is what a summary says of one function.
type SummaryRow struct {
	*calls.Summary
	Function *Function
	Spec     string // if another source is about a function of that name, else ""
	Title    string // Spec or the function's name, escaped
	MayFail  bool   // it is known whether calls failed
}

// Rows are what s says of the functions, that of the most time first. Events of
// another tool's file, which nobody may have asked for, are left out if there were
// none.
func (s *Summary) Rows(functions []Function) []SummaryRow {
	named := map[string]int{}
	for i := range functions {
		named[functions[i].Name]++
	}
	var rows []SummaryRow
	for i := range s.Sums {
		f := &functions[i]
		// Of what was not named, only what was called is of interest.
		if s.Sums[i].Calls == 0 && (f.Plan.Func == nil || f.Plan.Glob != nil) {
			continue
		}
		r := SummaryRow{Summary: &s.Sums[i], Function: f, MayFail: f.mayFail}
		if named[f.Name] > 1 && f.Plan.Spec != nil {
			r.Spec = f.Plan.Spec.Text
		}
		r.Title = string(AppendEscaped(nil, []byte(cmp.Or(r.Spec, f.Name)), NoQuote))
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b SummaryRow) int {
		return cmp.Or(cmp.Compare(b.Durations.Total, a.Durations.Total), cmp.Compare(a.Title, b.Title))
	})
	return rows
}
