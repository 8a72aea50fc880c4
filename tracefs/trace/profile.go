package trace

import (
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
)

// profile returns how often the probes were hit, by event. The kernel counts a hit once
// for each definition of the probe.
func (t *Trace) profile() (map[string]tracefs.Hits, error) {
	all, err := t.session.Profile()
	if err != nil {
		return nil, err
	}
	for _, p := range fetchargs.Probes(t.plansNow()) {
		if h, ok := all[p.Event]; ok && p.Times() > 1 {
			h.Hits /= uint64(p.Times())
			h.Misses /= uint64(p.Times())
			all[p.Event] = h
		}
	}
	return all, nil
}
