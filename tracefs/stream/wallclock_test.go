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

// TestWhen: a time of day that a clock showed twice has two times on the trace clock, and one
// that it left out is that of the step.
func TestWhen(t *testing.T) {
	for _, tt := range []struct {
		steps             []wallStep
		wall, first, last int64
	}{
		{nil, 5, 0, 0},
		{[]wallStep{{0, 100}}, 145, 45, 45},
		{[]wallStep{{0, 100}}, 5, 0, 0},
		{[]wallStep{{0, 100}, {50, 90}}, 139, 39, 39}, // set back
		{[]wallStep{{0, 100}, {50, 90}}, 145, 45, 55},
		{[]wallStep{{0, 100}, {50, 90}}, 155, 65, 65},
		{[]wallStep{{0, 100}, {50, 120}}, 149, 49, 49}, // set forward
		{[]wallStep{{0, 100}, {50, 120}}, 160, 50, 50},
		{[]wallStep{{0, 100}, {50, 120}}, 171, 51, 51},
		{[]wallStep{{0, 100}, {50, 90}, {70, 100}}, 145, 45, 55},
		{[]wallStep{{0, 100}, {50, 90}, {70, 100}}, 165, 70, 70},
	} {
		var w WallClock
		for _, s := range tt.steps {
			w.Set(s.From, s.Add)
		}
		if first, last := w.When(tt.wall); first != uint64(tt.first) || last != uint64(tt.last) {
			t.Errorf("%v: %d is %d to %d, want %d to %d", tt.steps, tt.wall, first, last, tt.first, tt.last)
		}
	}
}
