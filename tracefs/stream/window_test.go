package stream

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// TestWindow reads events before, in and after a window: only the losses and the steps of the
// clock in it are reported, calls that began before it are not shown, and the reading ends when
// those that began in it have returned.
func TestWindow(t *testing.T) {
	const enter, leave = 1, 2
	var reported []string
	var lost []uint64
	w := NewWindow(100, 200)
	r := &Stream{
		Window: w, Order: binary.LittleEndian, Plans: []*plan.Plan{{}}, Amend: amend.New(binary.LittleEndian, amend.Times{}),
		Choose: func(*calls.Call, *plan.Plan) bool { return true },
		Warner: func(w tracefs.Warning) { reported = append(reported, w.Text) },
	}
	r.Lost = func(e *tracefs.Event) { lost = append(lost, e.Time) }
	for _, at := range []uint64{0, 50, 150, 250} {
		r.Wall.Set(at, int64(at)*1e9)
	}
	var set []string
	r.ClockSet = func(i tracefs.Interference) { set = append(set, i.Text) }
	side := calls.Side{Paired: true, Stack: -1}
	back := side
	back.Return = true
	r.pairers = []*calls.Pairer{calls.NewPairer(map[int]calls.Side{enter: side, leave: back}, calls.Options{Order: r.Order})}

	read := uint64(0)
	events := func(yield func(*tracefs.Event, error) bool) {
		for _, e := range []tracefs.Event{
			{Time: 10, TID: 1, Format: &tracefs.Format{ID: enter}},
			{Time: 60, TID: 1, Format: &tracefs.Format{ID: leave}, Lost: 5},
			{Time: 90, TID: 2, Format: &tracefs.Format{ID: enter}},
			{Time: 100, TID: 2, Format: &tracefs.Format{ID: leave}},
			{Time: 110, TID: 3, Format: &tracefs.Format{ID: enter}, Lost: 3, CPU: 1},
			{Time: 120, TID: 3, Format: &tracefs.Format{ID: leave}},
			{Time: 160, TID: 5, Format: &tracefs.Format{ID: leave}, Lost: tracefs.LostUnknown},
			{Time: 200, TID: 4, Format: &tracefs.Format{ID: enter}},
			{Time: 201, TID: 6, Format: &tracefs.Format{ID: enter}},
			{Time: 202, TID: 4, Format: &tracefs.Format{ID: leave}},
			{Time: 203, TID: 6, Format: &tracefs.Format{ID: leave}},
		} {
			if read = e.Time; !yield(&e, nil) {
				return
			}
		}
		for read = 300; read < 10_000; read++ {
			if !yield(&tracefs.Event{Time: read, Lost: 7, Format: &tracefs.Format{ID: 9}}, nil) {
				return
			}
		}
	}
	var shown []string
	for c, err := range r.Calls(events, Observer{}) {
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, fmt.Sprint(c.First().TID, c.First().Time, c.Last().Time, c.Orphan, c.Unfinished))
	}
	if want := []string{"3 110 120 false false", "4 200 202 false false"}; !slices.Equal(shown, want) {
		t.Errorf("shown: %q, want %q", shown, want)
	}
	if want := []uint64{110, 160}; !slices.Equal(lost, want) || !maps.Equal(w.Lost, map[int]uint64{1: 3}) || w.Events != 5 {
		t.Errorf("lost before %d, want %d; %v in all; %d events", lost, want, w.Lost, w.Events)
	}
	// The returns of calls that began before the window are not called returns without entries.
	if len(reported) != 1 || !strings.HasPrefix(reported[0], "3 events were lost") || len(set) != 1 {
		t.Errorf("reported: %q, %q", reported, set)
	}
	if read > 300+2*lookEvery {
		t.Errorf("events were read up to %d", read)
	}
}
