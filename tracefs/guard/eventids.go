package guard

import (
	"maps"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/tracefs"
)

// eventIDs holds the events that were defined again and so have new IDs.
type eventIDs struct {
	formats atomic.Pointer[map[int]*tracefs.Format]
}

// Format returns the format of an event that the Guard has defined again, by its new ID, or
// nil. It may be called from any goroutine.
func (g *Guard) Format(id int) *tracefs.Format {
	if all := g.defined.formats.Load(); all != nil {
		return (*all)[id]
	}
	return nil
}

// renumber learns the new ID of an event. Its records are laid out as before.
func (g *Guard) renumber(event string) {
	all := map[int]*tracefs.Format{}
	if old := g.defined.formats.Load(); old != nil {
		all = maps.Clone(*old)
	}
	for _, f := range g.o.Formats {
		if f.Name == event || f.Group+"/"+f.Name == event {
			all[g.o.Session.ID(event)] = f
		}
	}
	g.defined.formats.Store(&all)
}
