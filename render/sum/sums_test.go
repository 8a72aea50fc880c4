package sum

import (
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestSums: each call is in one interval and in the sum of all. A time without calls does
// not make an interval, a late call is in the current one.
func TestSums(t *testing.T) {
	s := NewSums(2, 1000)
	var ends, counts []uint64
	over := func(end uint64) {
		sums, _ := s.Interval()
		ends, counts = append(ends, end), append(counts, sums[0].Calls+sums[1].Calls)
		s.Next(end)
	}
	times := []uint64{1500, 1999, 2000, 1800, 9100, 9200, 5, 1 << 63}
	for i, at := range times {
		s.CatchUp(at, 1000, over)
		s.Add(i%2, at, &calls.Call{Entry: &tracefs.Event{Time: at}}, &Facts{})
	}
	if want := []uint64{2000, 3000, 10000}; !slices.Equal(ends, want) {
		t.Errorf("intervals end at %d, want %d", ends, want)
	}
	if want := []uint64{2, 2, 3}; !slices.Equal(counts, want) {
		t.Errorf("intervals of %d calls, want %d", counts, want)
	}
	all, start, last := s.All()
	if all[0].Calls != 4 || all[1].Calls != 4 || start != 1000 || last != 1<<63 {
		t.Errorf("%d and %d calls from %d to %d", all[0].Calls, all[1].Calls, start, last)
	}
}
