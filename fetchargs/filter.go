package fetchargs

import (
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/pushdown"
)

// push adds t to the filter of the probe whose values it needs. It reports whether the
// filter alone decides t; if not, user space decides again about the events that pass.
func (r *resolver) push(t *cond.Test) bool {
	entry, exit := t.Sides()
	// Where returns are paired with entries, a return whose entry was filtered out would
	// be paired with an earlier entry (see package calls).
	paired := r.fn.Target.Calls && (r.fn.Target.Pair && r.fn.Source.Returns() || r.entry.Used && r.exit.Used)
	if entry == exit || entry && paired {
		r.out.Partial = true
		return false
	}
	side := r.entry
	if exit {
		side = r.exit
	}
	known := maps.Clone(side.known)
	text, exact, ok := side.pushdown().Filter(t, known)
	if !ok {
		r.out.Partial = true
		return false
	}
	if t.Or != nil {
		text = "(" + text + ")"
	}
	if len(strings.Join(side.filters, " && "))+len(text) > maxFilter-side.roomOfCPUs() {
		r.out.Partial = true
		return false
	}
	side.filters, side.known = append(side.filters, text), known
	return exact && !side.looksAtLong(t)
}

// pushdown returns what the filter of b's probe can look at.
func (b *builder) pushdown() *pushdown.Side {
	return &pushdown.Side{Fn: b.r.fn, Kind: b.probe.Kind, Fields: b.Fields, Line: b.line}
}

// looksAtLong reports whether t compares a text that a spare does not fetch: its filter leaves
// that out.
func (b *builder) looksAtLong(t *cond.Test) bool {
	if kids := append(t.And, t.Or...); len(kids) > 0 {
		return slices.ContainsFunc(kids, b.looksAtLong)
	}
	return b.r.fn.Target.Live && isLong(&b.line.Args[b.Fields[t.Left.Index].Arg])
}
