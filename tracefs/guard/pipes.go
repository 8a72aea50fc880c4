package guard

import (
	"slices"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// opened reports who else has opened the pipes of the trace.
func (g *Guard) opened() {
	for _, h := range proc.Holders("instances/" + g.o.Session.Group()) {
		if !strings.Contains(h.File, "trace_pipe") || slices.Contains(g.readers, h) {
			continue
		}
		g.readers = append(g.readers, h)
		g.report(tracefs.Interference{File: g.o.Session.Path(h.File)}, "%s has opened %s of this trace: events that it reads are not shown here", h, h.File)
	}
}

// empties reports whether what was written to has emptied the buffers, or replaced
// them.
func empties(t tracefs.Touch) bool {
	return !t.Opened && (t.File == "trace" || strings.HasSuffix(t.File, "snapshot"))
}

// recount restarts the counts, since the buffers were emptied or replaced.
func (g *Guard) recount() {
	g.emptied, g.known.CountsReset = true, true
	g.suspectSince = time.Time{}
	g.o.Session.Recount(g.stolen)
}

// Settle strikes the last balance, of what others have read until the trace was
// switched off. It must come before the last counts are read, since reading those may
// take pages.
func (g *Guard) Settle() {
	if g == nil || g.closed {
		return
	}
	g.closed = true
	if g.watch != nil && slices.ContainsFunc(g.watch.Waiting(), empties) {
		g.recount()
		g.reportEmptied()
	}
	g.balance(true)
}

// balance reports events that others have read: at once that they do, and at the end
// how many.
func (g *Guard) balance(final bool) {
	b, err := g.o.Session.Balance()
	if err != nil || !b.Sure || b.Stolen == 0 || g.stolen && !final {
		return
	}
	if len(g.readers) == 0 {
		g.opened()
	}
	if g.suspectSince.IsZero() {
		g.suspectSince = time.Now()
	}
	if len(g.readers) == 0 && !final && time.Since(g.suspectSince) < guardTime {
		return // or it is a snapshot, which will be noticed in a moment
	}
	g.stolen = true
	by := "another program"
	if len(g.readers) > 0 {
		names := make([]string, len(g.readers))
		for i, h := range g.readers {
			names[i] = h.String()
		}
		slices.Sort(names)
		by = strings.Join(slices.Compact(names), ", ")
	}
	i := tracefs.Interference{Cost: tracefs.Cost{Reported: true, Exact: true, Events: b.Stolen}}
	if final {
		g.report(i, "%s read by %s and not shown", plural.Were(b.Stolen, "event"), by)
	} else {
		g.report(i, "events of this trace are being read by %s: %d so far, which are not shown", by, b.Stolen)
	}
}
