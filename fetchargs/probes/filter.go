package probes

import (
	"maps"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
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
	const ofComm = 94 // what --comm adds
	if len(strings.Join(side.filters, " && "))+len(text) > dynevent.MaxFilter-ofComm-side.roomOfCPUs() {
		b.out.Partial = true
		return false
	}
	side.filters, side.known = append(side.filters, text), known
	return exact && !side.looksAtLong(t)
}

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
