package merge

import (
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// A reader has the next item of a recording, or before it was read the time at which it begins.
type reader struct {
	of      *Recording
	next    func() (item, bool) // nil until it begins
	stop    func()
	stopped bool
	item    item   // zero until it begins
	time    uint64 // of the item, on the time line; never earlier than that of the item before
	call    calls.Call
}

// An item is a call, or an event before which others were lost. Both are valid until the next
// item.
type item struct {
	call *calls.Call
	lost *tracefs.Event
	err  error
}

// early is how much earlier than its beginning a recording is read: a probe can be hit while the
// others are being enabled.
const early = 1e9 // ns

func newReader(r *Recording) *reader {
	began := r.At(r.Began())
	return &reader{of: r, time: began - min(began, early)}
}

// advance reads the next item, and reports whether there is one.
func (r *reader) advance() bool {
	if r.next == nil {
		r.next, r.stop = iter.Pull(r.items)
	}
	var ok bool
	if r.item, ok = r.next(); !ok || r.item.err != nil {
		r.of.Err = r.item.err
		r.end()
		return false
	}
	at := r.item.lost
	if c := r.item.call; c != nil {
		at = c.Last()
	}
	r.time = max(r.time, r.of.At(at.Time))
	return true
}

// items yields what the recording has. It reads no further once the reader has ended.
func (r *reader) items(yield func(item) bool) {
	give := func(i item) bool {
		r.stopped = r.stopped || !yield(i)
		return !r.stopped
	}
	r.of.Lost = func(e *tracefs.Event) { give(item{lost: e}) }
	for c, err := range r.of.Stream.Calls(r.events(), stream.Observer{}) {
		if !give(item{call: c, err: err}) {
			return
		}
	}
}

// events yields the events of the recording until the reader has ended, which may be while none
// makes a call.
func (r *reader) events() iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		for e, err := range r.of.Events() {
			if r.stopped || !yield(e, err) {
				return
			}
		}
	}
}

// end ends the reader.
func (r *reader) end() {
	r.stopped = true
	if r.stop != nil {
		r.stop()
		r.stop, r.item = nil, item{}
	}
}

// numbered returns the call with the number of its plan, and an ID, among those of so many
// recordings.
func (r *reader) numbered(recordings int) *calls.Call {
	r.call = *r.item.call
	r.call.Plan += r.of.first
	if r.call.ID > 0 {
		r.call.ID = (r.call.ID-1)*uint64(recordings) + uint64(r.of.index) + 1
	}
	return &r.call
}
