package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/render/sum"
)

// mostFunctions is how many functions have a row of their own in the summary.
const mostFunctions = 500

// others is the row of the functions for which there is no room.
const others = "[other functions]"

// Sums are the sums of all calls, a row for each function.
type sums struct {
	rows map[string]*row
	last *call.Func // that was looked up, and its row
	row  *row
}

// A row is the sums of a function.
type row struct {
	Name   string // as it is shown
	Calls  uint64
	Errors uint64
	errnos map[string]uint64
	times  sum.Histogram
}

func newSums() sums { return sums{rows: map[string]*row{}} }

func (s *sums) add(c *call.Call) {
	if c.Func != s.last {
		s.last, s.row = c.Func, s.find(c.Func)
	}
	r := s.row
	r.Calls++
	if c.Timed {
		r.times.Add(c.Duration)
	}
	if name := c.Errno(); name != "" {
		const most = 200 // errors that the kernel has
		r.Errors++
		if _, ok := r.errnos[name]; ok || len(r.errnos) < most {
			r.errnos[name]++
		}
	}
}

func (s *sums) find(f *call.Func) *row {
	name := shown(symbol(f.Name, f.Module))
	r := s.rows[name]
	if r == nil && len(s.rows) >= mostFunctions {
		name = others
		r = s.rows[name]
	}
	if r == nil {
		r = &row{Name: name, errnos: map[string]uint64{}}
		s.rows[name] = r
	}
	return r
}

// sorted returns the rows, those first whose calls have taken the longest.
func (s *sums) sorted() []*row {
	return slices.SortedFunc(maps.Values(s.rows), func(a, b *row) int {
		return cmp.Or(cmp.Compare(b.times.Total, a.times.Total), cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Name, b.Name))
	})
}
