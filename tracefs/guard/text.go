package guard

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
)

// report reports interference.
func (g *Guard) report(i tracefs.Interference, format string, args ...any) {
	g.o.Tampered()
	g.o.Breaks(g.differs() || g.stolen)
	if g.o.Warner != nil {
		i.Text = fmt.Sprintf(format, args...)
		g.o.Warner(tracefs.Warning{Text: i.Text, Interference: &i})
	}
}

// reportCost reports interference and what it has cost, and starts to count again.
func (g *Guard) reportCost(message string, i tracefs.Interference) {
	text, cost := g.cost()
	i.Cost = cost
	sep := "; "
	if strings.HasSuffix(message, "and") {
		sep = " "
	}
	g.report(i, "%s%s%s", message, sep, text)
}

// of converts a change of the session to an Interference.
func (g *Guard) of(c *tracefs.Change) tracefs.Interference {
	i := tracefs.Interference{File: c.File, Before: c.Before, After: c.After}
	if c.Event != "" {
		i.Func = g.funcOf(c.Event)
	}
	return i
}

// funcOf returns the name of the function that event belongs to.
func (g *Guard) funcOf(event string) string {
	for _, p := range plan.Probes(g.o.Plans()) {
		if p.KernelEvent() == event && p.Side == dynevent.Return {
			return p.EventOf() + "'s return"
		} else if p.KernelEvent() == event {
			return p.EventOf()
		}
	}
	return event
}
