package plural

import "testing"

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		n        int
		noun     string
		of, were string
	}{
		{0, "call", "0 calls", "0 calls were"},
		{1, "call", "1 call", "1 call was"},
		{2, "call", "2 calls", "2 calls were"},
		{1, "miss", "1 miss", "1 miss was"},
		{7, "miss", "7 misses", "7 misses were"},
	} {
		if of, were := Of(tt.n, tt.noun), Were(tt.n, tt.noun); of != tt.of || were != tt.were {
			t.Errorf("%d %s: got %q and %q, want %q and %q", tt.n, tt.noun, of, were, tt.of, tt.were)
		}
	}
}

func TestList(t *testing.T) {
	for _, tt := range []struct {
		all  []int
		most int
		want string
	}{
		{nil, 2, ""},
		{[]int{1}, 2, "1"},
		{[]int{1, 2}, 2, "1, 2"},
		{[]int{1, 2, 3}, 2, "1, 2, 3"},
		{[]int{1, 2, 3, 4}, 2, "1, 2 and 2 more"},
		{[]int{1, 2, 3, 4}, 0, "1, 2, 3, 4"},
	} {
		if got := List(tt.all, tt.most); got != tt.want {
			t.Errorf("%v, at most %d: got %q, want %q", tt.all, tt.most, got, tt.want)
		}
	}
}
