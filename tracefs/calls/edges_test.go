package calls_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

func TestDurationIsNeverNegative(t *testing.T) {
	p := calls.NewPairer(sides, calls.Options{Delta: 8})
	p.Add(event(fIn, 100, 0, 7, 800))
	c, ok := p.Add(event(fOut, 90, 1, 7, 808))
	if !ok || c.Duration != 0 || c.Entry == nil {
		t.Errorf("got %+v, %v, want a call of duration 0", c, ok)
	}
}

func TestEntryIsCopied(t *testing.T) {
	p := calls.NewPairer(sides, calls.Options{Delta: 8})
	e := event(fIn, 100, 0, 7, 800)
	p.Add(e)
	clear(e.Data)
	clear(e.Comm)
	c, _ := p.Add(event(fOut, 200, 0, 7, 808))
	if got := binary.LittleEndian.Uint64(c.Entry.Data); got != 800 {
		t.Errorf("entry data changed to %d", got)
	}
	if string(c.Entry.Comm) != "comm" {
		t.Errorf("entry comm changed to %q", c.Entry.Comm)
	}
}

func TestUnknownAndShortEvents(t *testing.T) {
	p := calls.NewPairer(sides, calls.Options{})
	for _, id := range []int{0, hOut + 1, 99} {
		if c, ok := p.Add(&tracefs.Event{Format: &tracefs.Format{ID: id}}); ok {
			t.Errorf("unknown event: got %v", c)
		}
		if c, ok := calls.NewPairer(nil, calls.Options{}).Add(&tracefs.Event{Format: &tracefs.Format{ID: id}}); ok {
			t.Errorf("no sides: got %v", c)
		}
	}
	p.Add(&tracefs.Event{Format: formats[fIn], TID: 1})
	if c, ok := p.Add(&tracefs.Event{Format: formats[fOut], TID: 1}); !ok || c.Orphan {
		t.Errorf("records too short for a stack pointer: got %v, %v", c, ok)
	}
}

func TestRestStopsEarly(t *testing.T) {
	p := calls.NewPairer(sides, calls.Options{})
	p.Add(event(fIn, 2, 0, 7, 800))
	p.Add(event(fIn, 1, 0, 8, 800))
	var got []uint64
	for c := range p.Rest {
		got = append(got, c.Entry.Time)
		break
	}
	if !slices.Equal(got, []uint64{1}) {
		t.Errorf("got %v, want only the earliest entry, 1", got)
	}
}

// TestEarly returns without entry: the first of a task, and those above it on its stack,
// may have begun before the first event.
func TestEarly(t *testing.T) {
	p := calls.NewPairer(sides, calls.Options{Delta: 8})
	for i, tt := range []struct {
		id, tid int
		sp      uint64
		early   bool
	}{
		{fOut, 7, 0xa700, true}, {fOut, 7, 0xa800, true}, {fOut, 7, 0xa800, false}, {fOut, 7, 0xa700, false},
		{gOut, 7, 0xa700, true}, {fOut, 8, 0xa700, true}, {fOut, 8, 0xa700, false},
	} {
		c, ok := p.Add(event(tt.id, uint64(i+1), 0, tt.tid, tt.sp))
		if !ok || !c.Orphan || c.Early != tt.early || c.First() != c.Return || c.Last() != c.Return {
			t.Errorf("%d: %+v, want early %t", i, c, tt.early)
		}
	}
	p = calls.NewPairer(sides, calls.Options{MaxTasks: 1})
	for i := range 2 * 17 { // 16 places for each task are remembered
		tid := 1 + i%17
		if c, _ := p.Add(event(fOut, 1, 0, tid, 0xa700)); c.Early != (i < 17 || tid == 17) {
			t.Errorf("orphan %d, of task %d: %+v", i, tid, c)
		}
	}
}

// TestWaiting is bounded: when 256 entries wait for their second part, a further one makes
// the oldest go on without it.
func TestWaiting(t *testing.T) {
	p := calls.NewPairer(partSides, calls.Options{Delta: 8})
	for i := range 258 {
		p.Add(event(partNames["only0"], uint64(i), i, 1000+i, 800))
		if got, want := p.Tally().Partial, uint64(max(0, i-255)); got != want {
			t.Fatalf("%d entries: %d went on, want %d", i+1, got, want)
		}
	}
}
