package trace

import (
	"maps"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/tracefs"
)

// renumbered holds the events that were defined again and so have new IDs. The reader
// asks it for the formats of IDs that it does not know.
type renumbered struct {
	formats atomic.Pointer[map[int]*tracefs.Format]
}

func (r *renumbered) of(id int) *tracefs.Format {
	if all := r.formats.Load(); all != nil {
		return (*all)[id]
	}
	return nil
}

// renumber learns the new ID of an event. Its records are laid out as before.
func (g *guard) renumber(event string) {
	t := g.t
	all := map[int]*tracefs.Format{}
	if old := t.renumbered.formats.Load(); old != nil {
		all = maps.Clone(*old)
	}
	for _, f := range g.formats {
		if f.Name == event {
			all[t.session.ID(event)] = f
		}
	}
	t.renumbered.formats.Store(&all)
}
