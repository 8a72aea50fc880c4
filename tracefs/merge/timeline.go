// Package merge shows several recordings on one time line. Each stays a stream of its own,
// with its plans, symbols and pairs of events; a heap has the next call of each, by its time.
// A recording is read from the time on at which it begins, and holds its pages only until it
// has ended. Times of one boot are compared on the trace clock, those of others as the clocks
// of the hosts showed them (clock.go).
package merge

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/replay"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// A Recording is one of those on a time line.
type Recording struct {
	*replay.File
	Name string // of the file, one of a kind
	Size int64  // of the file, in bytes

	// Offset is added to the times that its clock showed.
	Offset time.Duration

	// Set by New.
	Host   string // where it was made; one of a kind for each boot of a host
	Shift  int64  // ns to add to its times to get those of the time line
	ToWall *int64 // ns to add to its times to get the time since 1970; nil if that is not known
	Clock  Clock  // what is known of its clock

	Err error // why reading it ended early; nil if it did not

	clock *clock
	index int
	first int // Call.Plan of its first plan
}

// At converts a time of the recording to one of the time line.
func (r *Recording) At(t uint64) uint64 { return uint64(int64(t) + r.Shift) }

// From converts a time of the time line to one of the recording, 0 if that is before all of its
// times.
func (r *Recording) From(t uint64) uint64 {
	if r.Shift >= 0 {
		return t - min(t, uint64(r.Shift))
	}
	if earlier := uint64(-r.Shift); t <= ^uint64(0)-earlier {
		return t + earlier
	}
	return ^uint64(0)
}

// A Timeline yields the calls of several recordings in the order of their times.
type Timeline struct {
	Recordings []*Recording
	Start      uint64 // when the first of them begins, in ns on the time line

	// Lost is called with an event before which others were lost, in the order of times. It may
	// be nil.
	Lost func(*Recording, *tracefs.Event)

	clocks []*clock
}

// New makes a time line of recordings, each of which it sets the Host and the Shift of.
func New(all []*Recording) *Timeline {
	t := &Timeline{Recordings: all}
	for i, r := range all {
		r.index, r.first, r.Host, r.ToWall, r.Clock = i, 0, "", nil, Clock{}
		if i > 0 {
			r.first = all[i-1].first + len(all[i-1].Plans)
		}
	}
	t.align()
	nameHosts(all)
	return t
}

// Same returns for each recording the one before it that it is a copy of, nil if there is none.
func Same(all []*Recording) []*Recording {
	same, known := make([]*Recording, len(all)), map[string]*Recording{}
	for i, r := range all {
		id := r.Identity()
		if id == "" {
			continue
		}
		if same[i] = known[id]; same[i] == nil {
			known[id] = r
		}
	}
	return same
}

// SetWindow lets the calls be only those that began between two times on the time line. If from
// is not after Start, or to is 0, the window has no such end.
func (t *Timeline) SetWindow(from, to uint64) {
	for _, r := range t.Recordings {
		first, last := uint64(0), uint64(0)
		if from > t.Start {
			if first = r.From(from); first <= r.Start {
				first = 0
			}
		}
		if to > 0 {
			last = max(r.From(to), 1)
		}
		r.Window = stream.NewWindow(first, last)
	}
}

// Calls yields the calls of all recordings as they end, and also as they begin if the files were
// opened for that. Call.Plan counts the plans of all recordings, in their order; Call.ID is one of
// a kind. A call is valid until the next one. If a recording cannot be read to its end, its Err is
// set, and the others go on.
func (t *Timeline) Calls(ctx context.Context) iter.Seq2[*calls.Call, error] {
	return func(yield func(*calls.Call, error) bool) {
		h := make(queue, len(t.Recordings))
		for i, r := range t.Recordings {
			h[i] = newReader(r)
		}
		h.order()
		defer func() {
			for _, r := range h {
				r.end()
			}
		}()
		for len(h) > 0 && (ctx.Done() == nil || ctx.Err() == nil) {
			r := h[0]
			switch {
			case r.item.call != nil:
				if !yield(r.numbered(len(t.Recordings)), nil) {
					return
				}
			case r.item.lost != nil && t.Lost != nil:
				t.Lost(r.of, r.item.lost)
			}
			if r.advance() {
				h.down(0)
			} else {
				h.pop()
			}
		}
	}
}

// Refused returns how many calls of all recordings were not chosen, and whether one was.
func (t *Timeline) Refused() (n uint64, chosen bool) {
	for _, r := range t.Recordings {
		more, some := r.File.Refused()
		n, chosen = n+more, chosen || some
	}
	return n, chosen
}

// WindowEvents returns how many events were read of the window.
func (t *Timeline) WindowEvents() (n uint64) {
	for _, r := range t.Recordings {
		n += r.Window.Events
	}
	return n
}

// End returns the time of the last event. It reads the last pages.
func (t *Timeline) End() (end uint64) {
	for _, r := range t.Recordings {
		end = max(end, r.At(r.File.End()))
	}
	return end
}

// OneClock reports whether the times of the time line are those of the trace clock of one boot.
func (t *Timeline) OneClock() bool {
	return len(t.clocks) == 1 && !slices.ContainsFunc(t.Recordings, func(r *Recording) bool { return r.Shift != 0 })
}

// ToWall returns what to add to a time of the time line to get the time since 1970, in ns, and the
// recording for which that is not known, if there is one.
func (t *Timeline) ToWall() (add int64, unknown *Recording) {
	for _, r := range t.Recordings {
		if r.ToWall == nil {
			return 0, r
		}
		add = *r.ToWall - r.Shift
	}
	return add, nil
}
