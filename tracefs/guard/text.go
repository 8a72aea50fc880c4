package guard

import (
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/tracefs"
)

// tell reports interference.
func (g *Guard) tell(i tracefs.Interference, format string, args ...any) {
	g.o.Meddled()
	g.o.Breaks(g.differs() || g.robbed)
	if g.o.Warner != nil {
		i.Text = fmt.Sprintf(format, args...)
		g.o.Warner(tracefs.Warning{Text: i.Text, Interference: &i})
	}
}

// tellCost reports interference and what it has cost, and starts to count anew.
func (g *Guard) tellCost(said string, i tracefs.Interference) {
	text, cost := g.cost()
	i.Cost = cost
	sep := "; "
	if strings.HasSuffix(said, "and") {
		sep = " "
	}
	g.tell(i, "%s%s%s", said, sep, text)
}

// of converts a change of the session to an Interference.
func (g *Guard) of(c *tracefs.Change) tracefs.Interference {
	i := tracefs.Interference{File: c.File, Was: c.Was, Is: c.Is}
	if c.Event != "" {
		i.Func = g.funcOf(c.Event)
	}
	return i
}

// said describes what another program has done.
func (g *Guard) said(c *tracefs.Change) string {
	cost := ""
	if c.Cost != "" {
		cost = ", and " + c.Cost
	}
	of := "this trace"
	if c.Event != "" {
		of = g.funcOf(c.Event)
	}
	switch {
	case c.Gone():
		return "another program has removed the probe of " + of
	case c.Silent && c.Foreign:
		return "another program has switched off " + c.What
	case c.Silent:
		return "another program has switched this trace off"
	case c.Was == "1" && c.Is == "0" && c.Event == "":
		return "another program has switched off " + c.What + " of " + of
	case c.Was == "1" && c.Is == "0":
		return "another program has switched off the probe of " + of
	case c.What == "the options":
		return "another program has set options of this trace, " + c.Is
	}
	return fmt.Sprintf("another program has changed %s of %s from %s to %s%s", c.What, of, c.Was, c.Is, cost)
}

// funcOf returns the name of the function that event belongs to.
func (g *Guard) funcOf(event string) string {
	for _, p := range fetchargs.Probes(g.o.Plans()) {
		if p.Event == event && p.Side == dynevent.Return {
			return p.Plan.Spec.Func.Text + "'s return"
		} else if p.Event == event {
			return p.Plan.Spec.Func.Text
		}
	}
	return event
}

// cure says how to go on.
func (g *Guard) cure(c *tracefs.Change) string {
	switch {
	case c.Gone():
		return "--guard=rearm defines it again"
	case c.Was == "1" && c.Is == "0":
		return "to go on: echo 1 > " + c.File
	case c.What == "the options":
		return "--guard=rearm sets them back"
	case strings.HasSuffix(c.File, "/trigger"):
		return "to go back: echo '!" + c.Is + "' > " + c.File
	case c.Was == "none":
		return "to go back: echo 0 > " + c.File
	}
	return fmt.Sprintf("to go back: echo '%s' > %s", c.Was, c.File)
}
