// Package calls turns entry and return events into calls.
//
// # What may be missing
//
// An event does not say which activation of its function it belongs to: a return
// is told by its task and its stack pointer, which the next call from the same
// place has, too. So a return is that of the latest entry there, and that is only
// true if no entry has gone unseen. Whoever defines the events has to keep to
// this:
//
//   - The entries of a paired plan are all recorded. No filter on what they hold,
//     no mask of CPUs, chooses among them: a return would be taken for that of an
//     entry before its own, one whose own return was filtered out, was missed by
//     the kernel (maxactive), or will never come.
//   - The returns may be filtered, but not with Options.Begin: an entry whose
//     return is not seen is over when the next one is seen at its place, not
//     before, and until then it looks as if what comes were called by it.
//   - A filter that answers alike for both ends of a call may stand on both sides:
//     the thread (set_event_pid), and the task's name as long as it does not
//     change. An event must tell when it does: Side.Ends.
//   - Events that are lost may be the return of any call that has begun, and the
//     entry of the next. So no call reaches over a gap: its halves are handed out
//     as such.
//
// The kernel misses an entry only together with its return, for both hang on one
// kprobe.
//
// # Parts
//
// A side may be several events, each with some of the values. The kernel runs all
// probes of one place one after the other, with preemption disabled and other
// probes shut out, so the parts of a side come from one CPU with nothing of the
// same task between them, in whatever order. So what else comes of the task, or a
// part that is there already, shows that those still wanted were missed or lost; the
// side is then what there is of it.
package calls

import "github.com/tsnoop/tsnoop/tracefs"

// A Call is one activation of a traced function, as far as it was seen.
// Its events are valid until the next call is read.
type Call struct {
	Plan int // index of the plan the events belong to
	// Entry and Return are the first events that were seen of each side, nil where
	// that side was not asked for or not seen. Of a side with several parts
	// Event has all.
	Entry, Return *tracefs.Event
	Duration      uint64 // ns from entry to return; 0 if either is missing

	// Unfinished: the return was asked for but tracing ended before it came.
	// Orphan: the return came but its entry was before tracing or was lost.
	Unfinished, Orphan bool

	// Only with Options.Begin: what joins the beginning of a call with its end,
	// whether this is the beginning, and how many of the calls handed out were
	// active on the task when it began.
	ID    uint64 // from 1
	Begun bool
	Depth int

	entries, returns *entry // the parts, if a side has several
}

// Event is the event that has a part of the return, or of the entry, nil if it was
// not seen.
func (c *Call) Event(ret bool, part int) *tracefs.Event {
	first, kept := c.Entry, c.entries
	if ret {
		first, kept = c.Return, c.returns
	}
	switch {
	case first != nil && kept != nil:
		return kept.part(part)
	case part == 0:
		return first
	}
	return nil
}

// Last is the last event of the call that was seen.
func (c *Call) Last() *tracefs.Event {
	if c.Return != nil {
		return c.Return
	}
	return c.Entry
}
