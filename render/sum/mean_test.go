package sum_test

import (
	"math"
	"testing"

	"github.com/tsnoop/tsnoop/render/sum"
)

// TestMean: a mean shows decimals, as many as a person needs to compute with it.
func TestMean(t *testing.T) {
	for _, tt := range []struct {
		want    string
		times   uint64
		numbers []int64
	}{
		{"0", 1, nil},
		{"-1.25", 20, []int64{-5, 0, 0, 0}},
		{"63.75", 1, []int64{60, 65, 65, 65}},
		{"0.75", 1, []int64{0, 1, 1, 1}},
		{"-0.333", 1, []int64{0, -1, 0}},
		{"0.667", 1, []int64{0, 1, 1}},
		{"120", 1, []int64{100, 140}},
		{"-9223372036854775808", 3, []int64{math.MinInt64}},
		{"3074457345618258602.333", 1, []int64{math.MaxInt64, 0, 0}},
		{"0.0001", 1, append(make([]int64, 9999), 1)},
		{"0.000333", 1, append(make([]int64, 2999), 1)},
	} {
		var h sum.Numbers
		for range tt.times {
			for _, n := range tt.numbers {
				h.Add(sum.Number{Value: uint64(n), Signed: true, Known: true})
			}
		}
		if got := string(sum.AppendMean(nil, h.Mean())); got != tt.want {
			t.Errorf("mean of %d numbers, %d times: %s, want %s", len(tt.numbers), tt.times, got, tt.want)
		}
	}
}
