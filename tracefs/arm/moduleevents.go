package arm

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// A moduleEvent is an event of the kernel's own that is traced. The kernel does not say which
// module it is in: if it is gone when a module is, it was that one's.
type moduleEvent struct {
	title string // in specs: "nbd:nbd_send_request"
	used  string // in the session, "" if the plan has a probe of its own at the event
	id    int    // in the kernel when it was first used
	here  bool
}

// addEvent notes the event of a plan, which exists. m.mu is held.
func (m *Modules) addEvent(p *plan.Plan) {
	e := &moduleEvent{title: p.Func.Name, here: true}
	if slices.ContainsFunc(m.events, func(o *moduleEvent) bool { return o.title == e.title }) {
		return
	}
	if first := p.Probes[0]; !first.Kind.Defined() {
		e.used, e.id = first.Event, m.probes.Session.ID(first.Event)
	}
	m.events = append(m.events, e)
}

// system returns the system of the event.
func (e *moduleEvent) system() string {
	system, _, _ := strings.Cut(e.title, ":")
	return system
}

// turned returns the events that have come and those that are gone since the last look,
// by the module that was loaded or unloaded, and enables those that have come. m.mu is held.
func (m *Modules) turned(event proc.ModuleEvent) (came, left map[string][]string) {
	came, left = map[string][]string{}, map[string][]string{}
	for _, e := range m.events {
		now := m.probes.Host.FS.Exists(path.Join("events", strings.Replace(e.title, ":", "/", 1), "enable"))
		module := cmp.Or(event.Name, e.system())
		again := now && e.here && !event.Gone && m.probes.Session.Renewed(e.used)
		switch {
		case now == e.here && !again:
			continue
		case now:
			if err := m.again(e); err != nil {
				m.warner.Warnf("%s cannot be traced again: %v", e.title, err)
				break
			}
			came[module] = append(came[module], e.title)
		default:
			left[module] = append(left[module], e.title)
			m.probes.Session.Away(e.used)
		}
		e.here = now
	}
	return came, left
}

// again enables an event that has come. A plan that has a probe of its own at the event
// enables that itself.
func (m *Modules) again(e *moduleEvent) error {
	if e.used == "" {
		return nil
	}
	if err := m.back(e.used, e.id); !errors.Is(err, tracefs.ErrClosed) {
		return err
	}
	return nil
}
