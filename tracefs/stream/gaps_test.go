package stream

import (
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// TestLose: lost events are reported at once, and then now and then, with the sum.
func TestLose(t *testing.T) {
	var told []string
	handed := 0
	warn := func(w tracefs.Warning) { told = append(told, w.Text) }
	lost := func(*tracefs.Event) { handed++ }
	var g Gaps
	for _, n := range []uint64{3, 4, tracefs.LostUnknown} {
		g.lose(&tracefs.Event{CPU: 2, Lost: n}, warn, lost)
	}
	g.reported = g.reported.Add(-2 * lossesEvery)
	g.lose(&tracefs.Event{CPU: 1, Lost: 5}, warn, lost)
	want := []string{
		"3 events were lost, the last on CPU 2: the kernel's buffer was full",
		"more than 9 events were lost, the last on CPU 1: the kernel's buffer was full",
	}
	if !slices.Equal(told, want) || handed != 4 {
		t.Errorf("reported %q, want %q; %d handed on", told, want, handed)
	}
}
