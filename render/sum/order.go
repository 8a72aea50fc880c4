package sum

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// orders has the ways to sort a summary, with functions that compare two rows. The
// largest come first, except for names.
var orders = []struct {
	name    string
	compare func(a, b *Row) int
}{
	{"total", func(a, b *Row) int { return cmp.Compare(b.Durations.Total, a.Durations.Total) }},
	{"calls", func(a, b *Row) int { return cmp.Compare(b.Calls, a.Calls) }},
	{"mean", func(a, b *Row) int { return cmp.Compare(b.Durations.Mean(), a.Durations.Mean()) }},
	{"max", func(a, b *Row) int { return cmp.Compare(b.Durations.Max, a.Durations.Max) }},
	{"errors", func(a, b *Row) int { return cmp.Compare(b.failed(), a.failed()) }},
	{"name", func(a, b *Row) int {
		return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.keyText, b.keyText))
	}},
}

// An Order says how the rows of a summary are sorted. The zero value sorts by the total
// time of the calls.
type Order uint8

// ParseOrder returns the order of that name.
func ParseOrder(name string) (Order, error) {
	i := slices.Index(Orders(), name)
	if i < 0 {
		return 0, fmt.Errorf("no order is called %q", name)
	}
	return Order(i), nil
}

// Orders returns the names of the orders.
func Orders() (names []string) {
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

// sort sorts rows. Equal rows are sorted by the default order, then by their names and
// keys.
func (o Order) sort(rows []Row) {
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := &rows[i], &rows[j]
		return cmp.Or(orders[o].compare(a, b), orders[0].compare(a, b), cmp.Compare(b.Calls, a.Calls)*keyed(a, b),
			cmp.Compare(a.Title, b.Title), cmp.Compare(a.keyText, b.keyText)) < 0
	})
}

// keyed is 1 for rows with keys. Functions without durations are sorted by name only.
func keyed(a, b *Row) int {
	if a.Keys != nil && b.Keys != nil {
		return 1
	}
	return 0
}

// failed returns how many calls have returned an error.
func (r *Row) failed() (n uint64) {
	for _, calls := range r.errors {
		n += calls
	}
	return n
}
