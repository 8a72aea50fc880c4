package stream

import (
	"iter"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// An Observer learns of events and calls that are perhaps not shown, and why. Each of its
// functions may be nil.
type Observer struct {
	Event      func(*tracefs.Event)
	Call       func(*calls.Call)                      // each, before it is matched
	Refused    func(*calls.Call)                      // conditions do not hold; Stream.CountHeld counts those that do
	Unreturned func(c *calls.Call, shown, atEnd bool) // its return was not seen
	Shown      func()
}

// Calls turns events into calls, until there are no more or the caller stops. o learns of
// them.
func (r *Stream) Calls(events iter.Seq2[*tracefs.Event, error], o Observer) iter.Seq2[*calls.Call, error] {
	return func(yield func(*calls.Call, error) bool) {
		r.observer = o
		if r.Window != nil && r.Window.From > 0 {
			r.Wall.pass(r.Window.From-1, nil)
		}
		at, atEnd := uint64(0), false // time of the event; there are no more
		hand := func(c *calls.Call) bool {
			if o.Call != nil {
				o.Call(c)
			}
			if !r.isWhole(c, at) {
				return true
			}
			// A call that is shown since it began was matched then.
			wanted := c.ID != 0 || r.matches(c)
			if c.Unfinished && o.Unreturned != nil {
				o.Unreturned(c, wanted, atEnd)
			}
			if !wanted {
				return true
			}
			if o.Shown != nil {
				o.Shown()
			}
			return yield(c, nil)
		}
	reading:
		for event, err := range events {
			if err != nil {
				yield(nil, err)
				return
			}
			at = event.Time
			where := within
			if r.Window != nil {
				where = r.Window.place(event)
			}
			switch where {
			case before:
				r.Amend.Event(event)
				continue
			case within:
				r.Wall.pass(at, r.ClockSet)
				if event.Lost > 0 {
					r.Gaps.lose(event, r.Warner, r.Lost)
				}
			case after:
				if r.isOver() {
					break reading
				}
			}
			event = r.Amend.Event(event)
			if o.Event != nil {
				o.Event(event)
			}
			for _, pairer := range r.pairers {
				for c, ok := pairer.Add(event); ok; c, ok = pairer.Next() {
					if len(r.CPUs) > 0 {
						r.leaves(c)
					}
					if !hand(c) {
						return
					}
				}
			}
		}
		more := true
		atEnd = true
		for _, pairer := range r.pairers {
			if more {
				pairer.Rest(func(c *calls.Call) bool {
					more = hand(c)
					return more
				})
			}
			if n := pairer.Tally(); n != (calls.Tally{}) && r.Window == nil { // a window lacks entries and returns
				r.Warner.Detailf("%s came without an entry, %s did not end", plural.Of(n.Orphans, "return"), plural.Of(n.Unfinished, "call"))
				if n.Partial > 0 {
					r.Warner.Detailf("%d entries and returns came without all of their parts", n.Partial)
				}
			}
		}
	}
}
