package trace

import (
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
)

// While events are being lost that is told at once, and then now and then, with the sum.
func TestLose(t *testing.T) {
	var told []string
	handed := 0
	r := Reading{warner: func(w tracefs.Warning) { told = append(told, w.Text) }, Lost: func(*tracefs.Event) { handed++ }}
	for _, n := range []uint64{3, 4, tracefs.LostUnknown} {
		r.lose(&tracefs.Event{CPU: 2, Lost: n})
	}
	r.losing.told = r.losing.told.Add(-2 * lossesEvery)
	r.lose(&tracefs.Event{CPU: 1, Lost: 5})
	want := []string{
		"3 events were lost, the last on CPU 2: they came faster than they were read",
		"more than 9 events were lost, the last on CPU 1: they came faster than they were read",
	}
	if !slices.Equal(told, want) || handed != 4 {
		t.Errorf("told %q, want %q; %d handed on", told, want, handed)
	}
}
