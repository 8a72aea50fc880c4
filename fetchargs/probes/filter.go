package probes

import (
	"maps"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/pushdown"
)

// Push adds t to the filter of the probe whose values it needs. It reports whether the
// filter alone decides t; if not, user space decides again about the events that pass.
func (b *Builder) Push(t *cond.Test) bool {
	entry, exit := t.Sides()
	// Where returns are paired with entries, a return whose entry was filtered out would
	// be paired with an earlier entry (see package calls).
	paired := b.fn.Target.Calls && (b.fn.Target.Pair && b.fn.Source.Returns() || b.Entry.Used && b.Exit.Used)
	if entry == exit || entry && paired {
		b.out.Partial = true
		return false
	}
	side := b.Entry
	if exit {
		side = b.Exit
	}
	known := maps.Clone(side.known)
	text, exact, ok := side.pushdown().Filter(t, known)
	if !ok {
		b.out.Partial = true
		return false
	}
	if t.Or != nil {
		text = "(" + text + ")"
	}
	filters := append(side.filters, text)
	if len(strings.Join(filters, " && ")) > dynevent.MaxFilter-side.ownFilter() {
		b.out.Partial = true
		return false
	}
	side.filters, side.known = filters, known
	return exact && !side.looksAtLong(t)
}

// ownFilter returns how many bytes of the filter tsnoop itself needs: for the CPUs, and for the
// task's name.
func (s *Side) ownFilter() (n int) {
	if s.isOfEachCPU() {
		n += len(plan.OfCPUs(ownCPU+"_2", s.fn.Target.CPUs.Each) + " && ") // a value may have the name
	}
	if s.fn.Target.Comm != "" {
		n += len(s.ofComm() + " && ")
	}
	return n
}

// ofComm returns the filter for the tasks that the run is about.
func (s *Side) ofComm() string { return filter.Comm(s.fn.Target.Comm, !s.fn.Target.Live) }

// CanFilter reports whether the filter can decide t, or a part of it.
func (s *Side) CanFilter(t *cond.Test) bool {
	_, _, ok := s.pushdown().Filter(t, maps.Clone(s.known))
	return ok
}

// pushdown returns what the filter of the probe can look at.
func (s *Side) pushdown() *pushdown.Side {
	return &pushdown.Side{Fn: s.fn, Kind: s.probe.Kind, Fields: s.Fields, Line: s.line}
}

// looksAtLong reports whether t compares a text that a spare does not fetch: its filter leaves
// that out.
func (s *Side) looksAtLong(t *cond.Test) bool {
	for c := range t.Comparisons {
		if s.fn.Target.Live && isLong(s.line.Args[s.Fields[c.Left.Index].Arg]) {
			return true
		}
	}
	return false
}
