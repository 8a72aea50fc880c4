package sum

import (
	"cmp"
	"math"
	"sort"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
)

// A Summary sums up the calls of some time.
type Summary struct {
	Sums     []Sum  // one for each source, or class of them
	From, To uint64 // ns on the trace clock
	Interval bool   // it covers an interval, not the trace from its start
	Final    bool   // the trace is over
	Alone    bool   // only summaries are shown, not calls
	Width    int    // width of a line in columns

	Order   Order
	By      []string // what has rows of its own, besides the function
	Numbers []string // names of the Numbers of Sums
	Bare    bool     // without histograms of durations
	Asked   bool     // with them only for functions whose return value is shown
	Heat    bool     // an interval is a row of a heat map
	Every   uint64   // length of an interval, ns

	lossCount

	tallies []*tally // one for each source
	classes []class  // what each of Sums is of; nil if that is a source
	// SwitchedOff is that of Options; it may be nil.
	SwitchedOff func(p *plan.Plan, from, to uint64) *tracefs.SwitchOff
}

// Span returns the time that s covers, in ns.
func (s *Summary) Span() uint64 { return max(s.To, s.From) - s.From }

// A Row is the row of one function, or of those of its calls that have the same
// key.
type Row struct {
	*Sum
	Function *render.Function
	Spec     string // the spec, if another source traces a function of that name; else ""
	Title    string // Spec or the function's name, escaped
	MayFail  bool   // the return value shows whether calls failed
	Keys     []Key  // nil if the row has none, one for each of Summary.By otherwise

	// SwitchedOff says since when calls of the function are not counted; nil if all are.
	SwitchedOff *tracefs.SwitchOff

	keyText string
	source  int
	index   int // of the sum
}

// Rows returns the rows of s, sorted by s.Order. Functions that the user did not name are
// left out if they were called and switched off at no time, and tsnoop's own in any case. If there are more than
// most rows with keys, the rest is summed up in a row of others for each function, after
// all other rows. If most is 0, there is no limit.
func (s *Summary) Rows(functions []render.Function, most int) []Row {
	named := map[string]int{}
	for i := range s.Sums {
		if f := &functions[s.source(i)]; !f.Own {
			named[f.Name]++
		}
	}
	var rows []Row
	end := s.To
	if s.Final { // a recording ends after its last call
		end = math.MaxUint64
	}
	for i := range s.Sums {
		f := &functions[s.source(i)]
		r := Row{Sum: &s.Sums[i], Function: f, MayFail: f.MayFail, source: s.source(i), index: i}
		r.SwitchedOff = s.switchedOff(i, functions, end)
		// Leave out functions that were neither named nor called.
		if f.Own || r.Calls == 0 && r.SwitchedOff == nil && (f.Plan.Func == nil || f.Plan.Glob != nil) {
			continue
		}
		if named[f.Name] > 1 && f.Plan.Spec != nil {
			r.Spec = f.Plan.Spec.Text
			if f.Plan.Spec.HasAlternatives() { // the one that was taken
				r.Spec = f.Plan.Spec.Alone().String()
			}
		}
		r.Title = string(render.AppendEscaped(nil, []byte(cmp.Or(r.Spec, f.Name)), render.NoQuote))
		rows = s.split(rows, r)
	}
	s.Order.sort(rows)
	if len(s.By) > 0 {
		rows = s.gather(rows, most)
	}
	return rows
}

// source returns the index of the source whose function a sum shows.
func (s *Summary) source(sum int) int {
	if s.classes == nil {
		return sum
	}
	return s.classes[sum].sources[0]
}

// switchedOff returns since when calls of a sum are missing, the earliest time if it is of several
// recordings.
func (s *Summary) switchedOff(sum int, functions []render.Function, end uint64) (first *tracefs.SwitchOff) {
	if s.SwitchedOff == nil {
		return nil
	}
	if s.classes == nil {
		return s.SwitchedOff(functions[sum].Plan, s.From, end)
	}
	for _, i := range s.classes[sum].sources {
		if o := s.SwitchedOff(functions[i].Plan, s.From, end); o != nil && (first == nil || o.Time < first.Time) {
			first = o
		}
	}
	return first
}

// Unknown reports whether the calls of a row's function are not counted at all.
func (s *Summary) Unknown(r *Row) bool {
	return r.Calls == 0 && r.SwitchedOff != nil && r.SwitchedOff.Time <= s.From
}

// IsAge reports whether the i-th of a row's Numbers is an age.
func (s *Summary) IsAge(r *Row, i int) bool {
	if r.source >= len(s.tallies) || i >= len(s.tallies[r.source].numbers) {
		return false
	}
	field := s.tallies[r.source].numbers[i].field
	return field != nil && field.Form == value.Elapsed
}

// HeatRows returns the rows of an interval, with the functions in the order of the
// sources.
func (s *Summary) HeatRows(functions []render.Function) []Row {
	whole := *s
	whole.By, whole.tallies = nil, nil
	rows := whole.Rows(functions, 0)
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].source < rows[j].source })
	return rows
}

// split appends the row of a function, or a row for each of its keys.
func (s *Summary) split(rows []Row, r Row) []Row {
	keys := r.Sum.Keys
	if keys == nil || r.source >= len(s.tallies) {
		return append(rows, r)
	}
	for _, keyed := range keys.All() {
		one := r
		one.Sum, one.Keys = keyed.Sum, s.tallies[r.source].keysOf(keyed.Key)
		for i := range one.Keys {
			one.keyText += string(one.Keys[i].Append(nil)) + "\x00"
		}
		rows = append(rows, one)
	}
	return rows
}

// gather sums up, for each function, the rows that are too many and the calls that have
// no row, in a row of others.
func (s *Summary) gather(rows []Row, most int) []Row {
	if most == 0 || len(rows) <= most+1 {
		most = len(rows)
	}
	shown, rest := rows[:most:most], rows[most:]
	for i := range s.Sums {
		var others *Row
		add := func(r Row, sum *Sum, values int) {
			if others == nil {
				others = &r
				others.Sum, others.Keys = &Sum{}, othersKeys(s.By)
			}
			others.Merge(sum)
			others.Keys[0].Values += values
		}
		for _, r := range rest {
			if r.index == i {
				add(r, r.Sum, 1)
			}
		}
		for _, r := range rows {
			if keys := s.Sums[i].Keys; r.index == i && keys != nil && keys.Others != nil {
				add(r, keys.Others, 0)
				others.Keys[0].Values = 0
				break
			}
		}
		if others != nil {
			shown = append(shown, *others)
		}
	}
	return shown
}

// othersKeys returns the keys of a row of others.
func othersKeys(by []string) (keys []Key) {
	for _, name := range by {
		keys = append(keys, Key{By: name, Others: true})
	}
	return keys
}

// HasHistogram reports whether a row has a histogram of durations.
func (s *Summary) HasHistogram(r *Row) bool {
	return r.Durations.Count > 0 && !s.Bare && (!s.Asked || r.Function.Return.Result != nil)
}

// Mixed reports whether calls with a key may be both in its row and among the others,
// because there were more keys than are kept.
func (s *Summary) Mixed() bool {
	for i := range s.Sums {
		if keys := s.Sums[i].Keys; keys != nil && keys.Others != nil {
			return true
		}
	}
	return false
}
