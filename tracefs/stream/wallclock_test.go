package stream

import (
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestWallClock converts times before and after the clock was set, and reports each step
// once, when the events come to it.
func TestWallClock(t *testing.T) {
	var w WallClock
	if got := w.At(5); got != 0 {
		t.Errorf("%d before it is known", got)
	}
	w.Set(100, 1000)
	w.Set(200, 5_000_001_000)
	w.Set(300, 5_000_001_500) // too small to be reported
	w.Set(400, 2000)
	for now, want := range map[uint64]int64{0: 1000, 199: 1000, 200: 5_000_001_000, 350: 5_000_001_500, 400: 2000, 1 << 60: 2000} {
		if got := w.At(now); got != want {
			t.Errorf("at %d: %d, want %d", now, got, want)
		}
	}
	var told []string
	report := func(i tracefs.Interference) { told = append(told, i.Text+" "+i.Before+" "+i.After) }
	w.pass(199, report)
	if len(told) > 0 {
		t.Errorf("early: %q", told)
	}
	w.pass(250, report)
	w.pass(399, report)
	w.pass(1000, report)
	if len(told) != 2 || !strings.HasPrefix(told[0], "the clock was set forward by 5s") || !strings.HasPrefix(told[1], "the clock was set back by 5s") {
		t.Errorf("reported %q", told)
	}
}
