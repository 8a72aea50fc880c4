// Package calls pairs entry and return events into calls.
//
// # What may be missing
//
// An event does not say which call of its function it belongs to. A return has only its
// task and its stack pointer, and the next call from the same place has the same ones.
// So a return is paired with the latest entry that has them. That is right only if no
// entry has gone unseen, so whoever defines the events must follow these rules:
//
//   - All entries of a paired plan are recorded. Neither a filter on their values nor a
//     mask of CPUs may drop any. Otherwise a return would be paired with an earlier entry:
//     one whose own return was filtered out, was missed by the kernel (maxactive), or
//     never comes.
//   - The returns may be filtered, but not with Options.Begin. An entry whose return is
//     not seen is over only when the next one is seen at its place; until then it looks as
//     if it had called everything that comes.
//   - A filter that has the same result at both ends of a call may be on both sides: on
//     the thread (set_event_pid), and on the task's name as long as it does not change. An
//     event must report when it does: Side.Ends.
//   - A lost event may be the return of any call that has begun, and the entry of the
//     next. So no call is paired across a gap: its halves are yielded separately.
//
// The kernel misses an entry only together with its return, since one kprobe serves
// both.
//
// # Parts
//
// A side may have several events, each with some of the values. The kernel runs all
// probes of one place one after the other, with preemption disabled and other probes
// locked out. So the parts of a side come from one CPU, with nothing of the same task
// between them, in any order. Another event of the task, or a part that is already
// there, shows that the missing parts were missed or lost; the side then has only the
// parts that were seen.
package calls

import (
	"cmp"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A Call is one call of a traced function, as far as it was seen. Its events are valid
// until the next call is read.
type Call struct {
	Plan int // index of the plan the events belong to
	// Entry and Return are the first event seen of each side. They are nil if the side
	// was not asked for or not seen. If a side has several parts, Event returns each.
	Entry, Return *tracefs.Event
	Duration      uint64 // ns from entry to return; 0 if either is missing

	// Unfinished means that the return was asked for but did not come before tracing
	// ended. Orphan means that the return came, but its entry was before the trace or
	// was lost.
	Unfinished, Orphan bool

	// Early is set for an orphan that may have begun before the first event. A task can
	// return from such calls only once, and then from those that led to them.
	Early bool

	// Set only with Options.Begin. ID is the same when a call begins and when it ends.
	// Begun means that this is its beginning. Depth is how many of the yielded calls
	// were active on the task when it began.
	ID    uint64 // from 1
	Begun bool
	Depth int

	entries, returns *entry // the parts of each side, nil if it has only one
}

// Event returns the event that has a part of the return (ret) or of the entry, nil if
// it was not seen.
func (c *Call) Event(ret bool, part int) *tracefs.Event {
	first, kept := c.Entry, c.entries
	if ret {
		first, kept = c.Return, c.returns
	}
	if first != nil && kept != nil {
		return kept.part(part)
	}
	if part == 0 {
		return first
	}
	return nil
}

// First returns the first event of the call that was seen.
func (c *Call) First() *tracefs.Event { return cmp.Or(c.Entry, c.Return) }

// Last returns the last event of the call that was seen.
func (c *Call) Last() *tracefs.Event { return cmp.Or(c.Return, c.Entry) }
