package guard

import (
	"testing"
	"time"
)

// TestRatesDue: the rates of events are looked at ten times a second from the start, also
// in a trace that is shorter than that of the other checks, unless they are not limited.
func TestRatesDue(t *testing.T) {
	start := time.Now()
	for _, tt := range []struct {
		max          int
		latest, want time.Duration
	}{
		{1000, time.Second, 100 * time.Millisecond},
		{1000, 30 * time.Millisecond, 30 * time.Millisecond},
		{0, time.Second, time.Second},
	} {
		r := rates{g: &Guard{o: Options{MaxRate: tt.max}}, when: start}
		if got := r.next(start.Add(tt.latest)).Sub(start); got != tt.want {
			t.Errorf("at most %d a second, due in %v: %v, want %v", tt.max, tt.latest, got, tt.want)
		}
	}
}
