// Package calls turns entry and return events into calls.
package calls

import "github.com/tsnoop/tsnoop/tracefs"

// A Call is one activation of a traced function, as far as it was seen.
// Entry or Return is nil where that side was not asked for or not seen.
// Its events are valid until the next call is read.
type Call struct {
	Plan     int // index of the plan the events belong to
	Entry    *tracefs.Event
	Return   *tracefs.Event
	Duration uint64 // ns from entry to return; 0 if either is missing

	// Unfinished: the return was asked for but tracing ended before it came.
	// Orphan: the return came but its entry was before tracing or was lost.
	Unfinished, Orphan bool

	// Only with Options.Begin: what joins the beginning of a call with its end,
	// whether this is the beginning, and how many of the calls handed out were
	// active on the task when it began.
	ID    uint64 // from 1
	Begun bool
	Depth int
}
