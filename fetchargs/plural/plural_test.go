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
