package guard

import (
	"os"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// tracedOnly lists the threads that are traced, keptOut those that are not.
const (
	tracedOnly = "set_event_pid"
	keptOut    = "set_event_notrace_pid"
)

// wanted returns the threads that should be in list.
func (g *Guard) wanted(list string) ([]int, error) {
	switch {
	case list == keptOut && g.o.Session.KeepsSelfOut():
		return proc.Threads(os.Getpid())
	case list == tracedOnly && g.o.Family != nil:
		return g.o.Family()
	}
	return nil, nil
}

// threads checks a list of threads that somebody has written to.
func (g *Guard) threads(list string) {
	want := func() ([]int, error) { return g.wanted(list) }
	l, err := g.o.Session.ThreadList(list, want)
	if err != nil {
		g.o.Warner.Detailf("%v", err)
		return
	}
	if g.restored[list] && len(l.Lacks) == 0 && len(l.Others) == 0 {
		return // that was this program itself
	}
	g.restored[list] = false
	message, less := g.describeList(list, l)
	if message == g.listed { // "echo" writes twice: first it empties the list
		return
	}
	g.listed = message
	i := tracefs.Interference{File: l.File}
	switch {
	case !g.o.Restore && less:
		g.short[list] = true
		g.report(i, "%s", message)
	case !g.o.Restore:
		g.reportUndone(list, message, i)
	default:
		g.restoreThreads(list, l, message, less)
	}
}

// reportUndone reports a list by which nothing is missed. If something was before, and all
// else is as it should be, it also reports what that has cost.
func (g *Guard) reportUndone(list, message string, i tracefs.Interference) {
	was := g.short[list]
	delete(g.short, list)
	if was && !g.differs() {
		g.reportCost(message, i)
		return
	}
	g.report(i, "%s", message)
}

// restoreThreads undoes what another program has done to a list.
func (g *Guard) restoreThreads(list string, l tracefs.ThreadList, message string, less bool) {
	i := tracefs.Interference{File: l.File}
	err := g.o.Session.RestoreThreads(list, l, func() ([]int, error) { return g.wanted(list) })
	if err != nil {
		if less {
			g.short[list] = true
		}
		g.report(i, "%s; it cannot be enabled again: %v", message, err)
		return
	}
	delete(g.short, list)
	g.restored[list], g.listed, i.Restored = true, "", true
	message += "; it is as it was again"
	if (less || list == keptOut) && !g.differs() { // see RestoreThreads
		g.reportCost(message+", and", i)
		return
	}
	g.report(i, "%s", message)
}

// firstThreads checks the lists of threads when the watch begins, since writes to them
// while the probes were defined are not noticed.
func (g *Guard) firstThreads() {
	for _, list := range []string{tracedOnly, keptOut} {
		want, err := g.wanted(list)
		if err != nil || len(want) == 0 && list == tracedOnly && g.o.Family != nil {
			continue // all of them have ended
		}
		l, err := g.o.Session.ThreadList(list, func() ([]int, error) { return want, nil })
		switch {
		case err != nil:
		case len(want) == 0 && !l.Emptied:
			g.threads(list)
		case len(want) == 0 || len(l.Lacks) < len(want): // one may have just started
		default:
			if now, err := g.wanted(list); list == keptOut || err == nil && slices.Equal(now, want) { // and all of them still live
				g.threads(list)
			}
		}
	}
}
