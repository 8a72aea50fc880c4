package define

import (
	"errors"
	"maps"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Renumbered has the formats of a session's events that were defined again while it runs, and
// so have new IDs. Their records are laid out as before.
type Renumbered struct {
	Session *tracefs.Session
	Formats []*tracefs.Format // of its events when the trace starts

	byID atomic.Pointer[map[int]*tracefs.Format]
}

// Format returns the format of an event by its new ID, or nil. It may be called from any
// goroutine.
func (r *Renumbered) Format(id int) *tracefs.Format {
	if all := r.byID.Load(); all != nil {
		return (*all)[id]
	}
	return nil
}

// Learn learns the new ID of an event.
func (r *Renumbered) Learn(event string) {
	for _, f := range r.Formats {
		if f.Name == event {
			r.know(r.Session.ID(event), f)
		}
	}
}

// know notes the format of the events with an ID.
func (r *Renumbered) know(id int, f *tracefs.Format) {
	for {
		old, all := r.byID.Load(), map[int]*tracefs.Format{}
		if old != nil {
			all = maps.Clone(*old)
		}
		if all[id] = f; r.byID.CompareAndSwap(old, &all) {
			if f.Shared() {
				r.Session.Tally().Share(id, f, 0)
			}
			return
		}
	}
}

// Back enables an event of the kernel's own that is there again with its module. first is the
// ID that it had first. A recording of raw pages can go on only with that.
func (r *Renumbered) Back(event string, first int, recording bool) error {
	id, err := r.Session.Back(event, func(id int, taken bool) error {
		switch {
		case id == first:
			return nil
		case recording:
			return errors.New("it has another ID, which a recording cannot go on with")
		case taken:
			return errors.New("it has the ID that another event had")
		}
		return nil
	})
	if err != nil || id == first {
		return err
	}
	f, err := r.Session.Format(event)
	if err == nil {
		f.ID = first
		r.know(id, f)
	}
	return err
}
