package trace

import (
	"slices"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// opened says who else has opened the pipes of the trace.
func (g *guard) opened() {
	for _, h := range proc.Holders("instances/" + g.t.session.Group()) {
		if !strings.Contains(h.File, "trace_pipe") || slices.Contains(g.readers, h) {
			continue
		}
		g.readers = append(g.readers, h)
		g.tell(tracefs.Interference{File: g.t.session.Path(h.File)}, "%s has opened %s of this trace: what it reads is not shown here", h, h.File)
	}
}

// empties tells whether what was written to has emptied the buffers, or put others in
// their place.
func empties(t tracefs.Touch) bool {
	return !t.Opened && (t.File == "trace" || strings.HasSuffix(t.File, "snapshot"))
}

// countAnew has what is counted begin anew: the buffers are others than before.
func (g *guard) countAnew() {
	g.emptied, g.anew = true, true
	g.suspect = time.Time{}
	g.t.session.CountAnew(g.robbed)
}

// settle strikes the last balance, of what was read by others until the trace was switched
// off. It comes before the last counts are read, for which pages may be taken.
func (g *guard) settle() {
	if g == nil || g.closed {
		return
	}
	g.closed = true
	if g.watch != nil && slices.ContainsFunc(g.watch.Waiting(), empties) {
		g.countAnew()
		g.tellEmptied()
	}
	g.balance(true)
}

// balance says what others have read: that they do, at once, and in the end how much.
func (g *guard) balance(final bool) {
	b, err := g.t.session.Balance()
	if err != nil || !b.Sure || b.Stolen == 0 || g.robbed && !final {
		return
	}
	if len(g.readers) == 0 {
		g.opened()
	}
	if g.suspect.IsZero() {
		g.suspect = time.Now()
	}
	if len(g.readers) == 0 && !final && time.Since(g.suspect) < guardTime {
		return // or it is a snapshot, which is heard of in a moment
	}
	g.robbed = true
	by := "another program"
	if len(g.readers) > 0 {
		names := make([]string, len(g.readers))
		for i, h := range g.readers {
			names[i] = h.String()
		}
		slices.Sort(names)
		by = strings.Join(slices.Compact(names), ", ")
	}
	i := tracefs.Interference{Cost: tracefs.Cost{Told: true, Known: true, Events: b.Stolen}}
	if final {
		g.tell(i, "%d events were read by %s and are not shown", b.Stolen, by)
	} else {
		g.tell(i, "events of this trace are being read by %s: %d so far, which are not shown", by, b.Stolen)
	}
}
