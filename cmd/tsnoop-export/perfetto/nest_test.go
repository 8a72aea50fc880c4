package perfetto

import "testing"

// A slice may be added to a track if a reader can tell where it begins and ends.
func TestNestAdd(t *testing.T) {
	for _, tt := range []struct {
		before []span
		add    span
		want   bool
	}{
		{nil, span{5, 9}, true},
		{[]span{{1, 4}}, span{5, 9}, true},
		{[]span{{1, 5}}, span{5, 9}, true}, // one after the other
		{[]span{{6, 8}}, span{5, 9}, true}, // the first in the second
		{[]span{{6, 9}}, span{5, 9}, true}, // they end at once
		{[]span{{1, 2}, {6, 7}, {7, 9}}, span{5, 9}, true},
		{[]span{{4, 6}}, span{5, 9}, false}, // they overlap
		{[]span{{5, 6}}, span{5, 9}, false}, // which began first?
		{[]span{{5, 5}}, span{5, 9}, true},  // the first ended before
		{[]span{{5, 9}}, span{9, 9}, true},
		{[]span{{5, 9}}, span{6, 7}, false}, // it comes too late
		{[]span{{5, 9}}, span{6, 9}, false},
	} {
		var n nest
		for _, s := range tt.before {
			if !n.add(s) {
				t.Fatalf("%v: %v was not added", tt.before, s)
			}
		}
		if got := n.add(tt.add); got != tt.want {
			t.Errorf("%v to %v: %t, want %t", tt.add, tt.before, got, tt.want)
		}
	}
}

// However many slices a track has, few are kept.
func TestNestMany(t *testing.T) {
	var n nest
	for i := range uint64(100_000) {
		if !n.add(span{10 * i, 10*i + 5}) {
			t.Fatal("not added:", i)
		}
	}
	if len(n.outer) > mostOuter {
		t.Errorf("%d are kept", len(n.outer))
	}
	if n.add(span{17, 1_000_000}) {
		t.Error("one was added that begins in a gap which is not known any more")
	}
	if !n.add(span{999_980 - 4, 1_000_001}) {
		t.Error("one was not added that begins in the last gaps")
	}
}
