package render

import (
	"cmp"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/value"
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

	Order   Order
	By      string   // what the calls have rows by, beside their functions; "" for nothing
	Numbers []string // what the Numbers of Sums are of
	Bare    bool     // durations have no histogram
	Heat    bool     // an interval is a row of a map
	Every   uint64   // how long an interval is to be, ns

	lossCount

	tallies []*tally // of each source
}

// Span is how long it was, in ns.
func (s *Summary) Span() uint64 { return max(s.To, s.From) - s.From }

// A SummaryRow is what a summary says of one function, or of those of its calls that
// have a key.
type SummaryRow struct {
	*calls.Summary
	Function *Function
	Spec     string // if another source is about a function of that name, else ""
	Title    string // Spec or the function's name, escaped
	MayFail  bool   // it is known whether calls failed
	Key      *Key   // nil if the calls have none

	keyText string
	source  int
}

// Rows are what s says of the functions, that of the most time first unless s has
// another order. Events of another tool's file, which nobody may have asked for, are
// left out if there were none. What is behind the most rows with keys goes to a row of
// others for each function; 0 is for any number. Those rows are the last.
func (s *Summary) Rows(functions []Function, most int) []SummaryRow {
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
		r := SummaryRow{Summary: &s.Sums[i], Function: f, MayFail: f.mayFail, source: i}
		if named[f.Name] > 1 && f.Plan.Spec != nil {
			r.Spec = f.Plan.Spec.Text
		}
		r.Title = string(AppendEscaped(nil, []byte(cmp.Or(r.Spec, f.Name)), NoQuote))
		rows = s.split(rows, r)
	}
	s.Order.sort(rows)
	if s.By != "" {
		rows = s.gather(rows, most)
	}
	return rows
}

// IsAge reports whether the i-th of a row's Numbers is how long ago something was.
func (s *Summary) IsAge(r *SummaryRow, i int) bool {
	if r.source >= len(s.tallies) || i >= len(s.tallies[r.source].numbers) {
		return false
	}
	field := s.tallies[r.source].numbers[i].field
	return field != nil && field.Form == value.Elapsed
}

// HeatRows are the functions in their order, with what an interval came to.
func (s *Summary) HeatRows(functions []Function) []SummaryRow {
	whole := *s
	whole.By, whole.tallies = "", nil
	rows := whole.Rows(functions, 0)
	slices.SortStableFunc(rows, func(a, b SummaryRow) int { return cmp.Compare(a.source, b.source) })
	return rows
}

// split appends a row of a function, or one for each of its keys.
func (s *Summary) split(rows []SummaryRow, r SummaryRow) []SummaryRow {
	keys := r.Keys
	if keys == nil || r.source >= len(s.tallies) {
		return append(rows, r)
	}
	for _, sum := range keys.All() {
		one, key := r, s.tallies[r.source].keyOf(sum.Key)
		one.Summary, one.Key, one.keyText = sum.Summary, &key, string(key.Append(nil))
		rows = append(rows, one)
	}
	return rows
}

// gather makes one row for each function of the rows that are too many, and of what the
// sums have no keys of.
func (s *Summary) gather(rows []SummaryRow, most int) []SummaryRow {
	if most == 0 || len(rows) <= most+1 {
		most = len(rows)
	}
	shown, rest := rows[:most:most], rows[most:]
	for i := range s.Sums {
		var others *SummaryRow
		add := func(r SummaryRow, sum *calls.Summary, values int) {
			if others == nil {
				others = &r
				others.Summary, others.Key = &calls.Summary{}, &Key{By: s.By, Others: true}
			}
			others.Merge(sum)
			others.Key.Values += values
		}
		for _, r := range rest {
			if r.source == i {
				add(r, r.Summary, 1)
			}
		}
		for _, r := range rows {
			if keys := s.Sums[i].Keys; r.source == i && keys != nil && keys.Others != nil {
				add(r, keys.Others, 0)
				others.Key.Values = 0
				break
			}
		}
		if others != nil {
			shown = append(shown, *others)
		}
	}
	return shown
}

// Mixed reports whether the calls of a key may be both in its row and among the others,
// for there were more keys than are kept.
func (s *Summary) Mixed() bool {
	for i := range s.Sums {
		if keys := s.Sums[i].Keys; keys != nil && keys.Others != nil {
			return true
		}
	}
	return false
}
