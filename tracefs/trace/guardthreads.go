package trace

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// tracedOnly lists the threads that are traced, keptOut those that are not.
const (
	tracedOnly = "set_event_pid"
	keptOut    = "set_event_notrace_pid"
)

// wanted returns the threads that should be in list.
func (g *guard) wanted(list string) ([]int, error) {
	switch {
	case list == keptOut && g.t.session.KeepsSelfOut():
		return proc.Threads(os.Getpid())
	case list == tracedOnly && g.family != nil:
		return g.family()
	}
	return nil, nil
}

// threads checks a list of threads that somebody has written to.
func (g *guard) threads(list string) {
	want, err := g.wanted(list)
	l, e := g.t.session.ThreadList(list, want)
	if err = firstError(err, e); err != nil {
		g.t.detail("%v", err)
		return
	}
	right := len(l.Lacks) == 0 && (list == keptOut || g.family != nil || l.Emptied)
	if right && g.mended[list] {
		return // that was this program itself
	}
	g.mended[list] = false
	said := fmt.Sprintf("another program has written to %s, ", l.File)
	switch {
	case list == keptOut && len(l.Lacks) > 0:
		said += "which kept what tsnoop itself does out of this trace"
	case list == keptOut:
		said += "whose threads are kept out of this trace"
	case g.family == nil && l.Emptied:
		said += "but all threads are traced as before"
	case g.family == nil:
		said += "and only the threads listed there are still traced"
	case l.Emptied:
		said += "and all threads of this machine are traced now"
	case len(l.Lacks) > 0:
		said += fmt.Sprintf("and threads that were asked for are not traced any more: %s", numbers(l.Lacks))
	default:
		said += "and other threads than those that were asked for may be traced"
	}
	if said == g.listed { // "echo" writes twice: first it empties the list
		return
	}
	g.listed = said
	i := tracefs.Interference{File: l.File}
	if !g.rearm {
		g.tell(i, "%s", said)
		return
	}
	if err := g.t.session.RestoreThreads(list, want); err != nil {
		g.tell(i, "%s; it cannot be armed again: %v", said, err)
		return
	}
	g.mended[list] = true
	i.Rearmed = true
	g.tell(i, "%s; it is as it was again", said)
}

// firstThreads checks the lists of threads when the watch begins, since writes to them
// while the probes were defined are not noticed.
func (g *guard) firstThreads() {
	for _, list := range []string{tracedOnly, keptOut} {
		want, err := g.wanted(list)
		if err != nil || len(want) == 0 && list == tracedOnly && g.family != nil {
			continue // all of them have ended
		}
		l, err := g.t.session.ThreadList(list, want)
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

func numbers(all []int) string {
	text := strings.Trim(fmt.Sprint(all[:min(len(all), 5)]), "[]")
	if more := len(all) - 5; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
