package guard

import (
	"errors"
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
	for _, f := range g.o.Formats {
		if f.Name == event {
			g.know(g.o.Session.ID(event), f)
		}
	}
}

// know notes the format of the events with an ID.
func (g *Guard) know(id int, f *tracefs.Format) {
	for {
		old, all := g.defined.Load(), map[int]*tracefs.Format{}
		if old != nil {
			all = maps.Clone(*old)
		}
		if all[id] = f; g.defined.CompareAndSwap(old, &all) {
			return
		}
	}
}

// Back enables an event of the kernel's own that is there again with its module. Its records
// are laid out as before; first is the ID that it had first.
func (g *Guard) Back(event string, first int) error {
	id, err := g.o.Session.Back(event, func(id int, taken bool) error {
		switch {
		case id == first:
			return nil
		case g.o.Recording():
			return errors.New("it has another ID, which a recording cannot go on with")
		case taken:
			return errors.New("it has the ID that another event had")
		}
		return nil
	})
	if err != nil {
		return err
	}
	g.WatchFurther([]string{event})
	if id == first {
		return nil
	}
	f, err := g.o.Session.Format(event)
	if err == nil {
		f.ID = first
		g.know(id, f)
	}
	return err
}
