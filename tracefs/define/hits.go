package define

import (
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
)

// Hits returns how often the probes of plans were hit, by event. The kernel counts a hit once
// for each definition of the probe.
func Hits(s *tracefs.Session, plans []*plan.Plan) (map[string]tracefs.Hits, error) {
	all, err := s.Profile()
	if err != nil {
		return nil, err
	}
	for _, p := range plan.Probes(plans) {
		if h, ok := all[p.Event]; ok && p.Times() > 1 {
			h.Hits /= uint64(p.Times())
			h.Misses /= uint64(p.Times())
			all[p.Event] = h
		}
	}
	return all, nil
}

// Read returns how many events of each probe of plans were read.
func Read(s *tracefs.Session, plans []*plan.Plan) map[string]uint64 {
	read, tally := map[string]uint64{}, s.Tally()
	for _, p := range plan.Probes(plans) {
		id := s.ID(p.Event)
		if p.Share != nil {
			id = -p.Share.Number
		}
		read[p.Event] = tally.Of(id)
	}
	return read
}
