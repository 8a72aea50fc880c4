package sum_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

func TestSummary(t *testing.T) {
	e := &tracefs.Event{}
	both := func(ns uint64) *calls.Call { return &calls.Call{Entry: e, Return: e, Duration: ns} }
	var s sum.Sum
	s.Add(both(100), 2)
	s.Add(both(300), 0)
	s.Add(both(0), 2) // so short that the clock did not tick is a duration
	s.Add(&calls.Call{Return: e, Orphan: true}, 13)
	s.Add(&calls.Call{Entry: e, Unfinished: true}, 0)
	s.Add(&calls.Call{Entry: e}, 0)
	s.Add(&calls.Call{Return: e}, 4095)
	s.Add(both(4), 4096) // no error numbers
	s.Add(both(4), -1)
	check := func(s *sum.Sum, times uint64) {
		t.Helper()
		if s.Calls != 9*times || s.Orphans != times || s.Unfinished != times {
			t.Errorf("%d calls, %d orphans, %d unfinished", s.Calls, s.Orphans, s.Unfinished)
		}
		d := &s.Durations
		if d.Count != 5*times || d.Total != 408*times || d.Min != 0 || d.Max != 300 {
			t.Errorf("%d durations of %d ns, %d to %d ns", d.Count, d.Total, d.Min, d.Max)
		}
		want := []sum.ErrorCount{{2, 2 * times}, {13, times}, {4095, times}}
		if diff := cmp.Diff(want, s.Errors()); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
	}
	check(&s, 1)
	var all sum.Sum
	all.Merge(&s)
	all.Merge(&s)
	all.Merge(&sum.Sum{})
	check(&all, 2)
	all.Reset()
	if all.Calls != 0 || all.Durations.Count != 0 || len(all.Errors()) != 0 || all.Durations.Percentile(99) != 0 {
		t.Errorf("after Reset: %+v", all)
	}
	all.Merge(&s)
	check(&all, 1)
}

// distributions are what durations may look like, and what breaks histograms.
var distributions = map[string]func(*rand.Rand) uint64{
	"any":         func(r *rand.Rand) uint64 { return r.Uint64() },
	"any size":    func(r *rand.Rand) uint64 { return r.Uint64() >> r.IntN(64) },
	"tiny":        func(r *rand.Rand) uint64 { return r.Uint64N(40) },
	"realistic":   func(r *rand.Rand) uint64 { return uint64(math.Exp(r.NormFloat64()*2 + 9)) },
	"two modes":   func(r *rand.Rand) uint64 { return 700 + uint64(r.IntN(2))*50_000_000 + r.Uint64N(100) },
	"at powers":   func(r *rand.Rand) uint64 { return uint64(1)<<r.IntN(64) - uint64(r.IntN(2)) },
	"all equal":   func(*rand.Rand) uint64 { return 123_456 },
	"the largest": func(*rand.Rand) uint64 { return math.MaxUint64 },
}

// TestPercentiles compares with the sorted durations, and the octaves with
// counting.
func TestPercentiles(t *testing.T) {
	for name, draw := range distributions {
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 2))
			exact := make([]uint64, 1+rnd.IntN(3000))
			var h sum.Histogram
			parts := make([]sum.Histogram, 3)
			for i := range exact {
				exact[i] = draw(rnd)
				h.Add(exact[i])
				parts[rnd.IntN(3)].Add(exact[i])
			}
			slices.Sort(exact)
			for _, p := range []int{1, 50, 90, 99, 100} {
				want := exact[(len(exact)*p+99)/100-1]
				got := h.Percentile(p)
				off := max(want, got) - min(want, got)
				if off > want/32 || want < 16 && off > 0 {
					t.Errorf("%s, seed %d: of %d durations %d%% take at most %d ns, got %d", name, seed, len(exact), p, want, got)
				}
			}
			checkOctaves(t, name, &h, exact)
			var merged sum.Histogram
			for i := range parts {
				merged.Merge(&parts[i])
			}
			if !reflect.DeepEqual(merged, h) {
				t.Errorf("%s, seed %d: three histograms merged differ from one of all", name, seed)
			}
		}
	}
}

func checkOctaves(t *testing.T, name string, h *sum.Histogram, exact []uint64) {
	t.Helper()
	var total, last uint64
	for o := range h.Octaves {
		var want uint64
		for _, ns := range exact {
			if ns >= o.From && (ns < o.To || o.To == math.MaxUint64) {
				want++
			}
		}
		if o.Count != want || last != 0 && o.From != last {
			t.Errorf("%s: %d durations from %d to %d, want %d", name, o.Count, o.From, o.To, want)
		}
		total, last = total+o.Count, o.To
	}
	if total != uint64(len(exact)) {
		t.Errorf("%s: %d durations in octaves, want %d", name, total, len(exact))
	}
}

func TestSummaryDoesNotAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	c := &calls.Call{Entry: &tracefs.Event{}, Return: &tracefs.Event{}}
	var s sum.Sum
	for errno := range 4096 { // room for every error there is
		s.Add(c, errno)
	}
	n := testing.AllocsPerRun(10_000, func() {
		c.Duration = rnd.Uint64() >> rnd.IntN(64)
		s.Add(c, rnd.IntN(5000))
	})
	if n != 0 {
		t.Errorf("%v allocations for a call", n)
	}
}

func BenchmarkSummary(b *testing.B) {
	for _, bb := range []struct {
		name  string
		errno int
	}{{"success", 0}, {"error", 2}} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			c := &calls.Call{Entry: &tracefs.Event{}, Return: &tracefs.Event{}}
			var s sum.Sum
			for b.Loop() {
				c.Duration = (c.Duration*6364136223846793005 + 1) >> 40
				s.Add(c, bb.errno)
			}
		})
	}
}
