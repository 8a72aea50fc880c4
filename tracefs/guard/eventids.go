package guard

import (
	"maps"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Format returns the format of an event that the Guard has defined again, by its new ID, or
// nil. It may be called from any goroutine.
func (g *Guard) Format(id int) *tracefs.Format {
	if all := g.defined.Load(); all != nil {
		return (*all)[id]
	}
	return nil
}

// renumber learns the new ID of an event. Its records are laid out as before.
func (g *Guard) renumber(event string) {
	all := map[int]*tracefs.Format{}
	if old := g.defined.Load(); old != nil {
		all = maps.Clone(*old)
	}
	for _, f := range g.o.Formats {
		if f.Name == event || f.Group+"/"+f.Name == event {
			all[g.o.Session.ID(event)] = f
		}
	}
	g.defined.Store(&all)
}
