package stream

import (
	"math"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Window is a part of a recording: the calls that began in it, also those that end later. A
// chain is shown if all of its calls began in the window. A nil Window is all of the recording.
//
// It is a stage between the events and their pairing. Events before it start no call, and
// after it they only end those that began in it.
type Window struct {
	// From and To are in ns on the clock of the event times, both included. From is 0 if the
	// window has no beginning.
	From, To uint64

	Events uint64         // that were read of the window
	Lost   map[int]uint64 // by CPU: events lost in the window; LostUnknown is not counted

	after uint64 // events that were read after it
}

// NewWindow returns a window. If to is 0, it has no end.
func NewWindow(from, to uint64) *Window {
	if to == 0 {
		to = math.MaxUint64
	}
	return &Window{From: from, To: to, Lost: map[int]uint64{}}
}

// A place is where an event is.
type place int

const (
	before place = iota
	within
	after
)

// place counts an event and returns where it is.
func (w *Window) place(e *tracefs.Event) place {
	switch {
	case e.Time < w.From:
		return before
	case e.Time > w.To:
		w.after++
		return after
	}
	w.Events++
	if e.Lost > 0 && e.Lost != tracefs.LostUnknown {
		w.Lost[e.CPU] += e.Lost
	}
	return within
}

// has reports whether a call began in the window. A call whose entry was not seen may have
// begun at any time before its return.
func (w *Window) has(c *calls.Call) bool {
	if w == nil {
		return true
	}
	began := c.First().Time
	return began <= w.To && (began >= w.From && !c.Orphan || w.From == 0)
}

// lookEvery is after how many events the stage looks again whether calls are open: that takes
// longer the more tasks are within calls.
const lookEvery = 64

// isOver reports whether no event can end a call of the window any more. It is asked for each
// event after the window.
func (r *Stream) isOver() bool {
	if r.Window.after%lookEvery != 1 {
		return false
	}
	for _, p := range r.pairers {
		if p.IsOpen(r.Window.To) {
			return false
		}
	}
	return true
}

// Began returns when what is shown began, in ns on the clock of the event times.
func (r *Stream) Began() uint64 {
	if r.Window == nil {
		return r.Start
	}
	return max(r.Start, r.Window.From)
}

// NeedsPast reports whether the values of an event can depend on any earlier one.
func (r *Stream) NeedsPast() bool { return r.Own != nil || r.Amend.HasClocks() }
