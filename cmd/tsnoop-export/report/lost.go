package report

import (
	"fmt"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
)

const (
	mostNotes = 200  // sentences about losses
	mostMarks = 2000 // places in the timeline where events were lost
)

// A lost is what the traces do not show.
type lost struct {
	notes   []string
	more    uint64 // sentences for which there was no room
	marks   []mark
	here    uint64 // events of which it is known when they were lost
	unknown uint64 // times that an unknown number was lost
	total   uint64 // events, as the end of each trace has them
}

// A mark is when events were lost.
type mark struct {
	at    int64 // ns from the start of the line
	cpu   int
	count uint64 // 0 if it is not known
}

func newLost() lost { return lost{} }

func (l *lost) add(what *call.Loss, line *line) {
	if what.Kind == call.LostHere {
		l.addHere(what, line)
		return
	}
	if what.Kind == call.LostTotal {
		l.total += what.Count
		return
	}
	if len(l.notes) >= mostNotes {
		l.more++
		return
	}
	l.notes = append(l.notes, shown(sentence(what, line)))
}

func (l *lost) addHere(what *call.Loss, line *line) {
	if what.Known {
		l.here += what.Count
	} else {
		l.unknown++
	}
	if at, ok := line.position(what.Trace, what.Time); ok && len(l.marks) < mostMarks {
		l.marks = append(l.marks, mark{at, what.CPU, what.Count})
	}
}

// sentence says what was lost.
func sentence(l *call.Loss, line *line) string {
	calls := plural.Of(l.Count, "call")
	if l.AtMost {
		calls = "at most " + calls
	}
	switch l.Kind {
	case call.MissedCalls:
		return fmt.Sprintf("%s: %s missed, because the probe could not run", l.Func, calls)
	case call.MissedReturns:
		return fmt.Sprintf("%s: the returns of %s missed, because the probe could not run", l.Func, calls)
	case call.UnfinishedCalls:
		return fmt.Sprintf("%s: %s without an entry or a return in the trace", l.Func, calls)
	case call.EarlierCalls:
		return fmt.Sprintf("%s: %s that began before the trace", l.Func, calls)
	case call.SwitchedOff:
		return fmt.Sprintf("%s: the probe was switched off%s after too many events; later calls are not in the trace", l.Func, since(l, line))
	case call.Interfered:
		return l.Interference.Text + cost(l)
	}
	return "a loss of an unknown kind"
}

// since returns " at 1.5s".
func since(l *call.Loss, line *line) string {
	if n, ok := line.position(l.Trace, l.Time); ok {
		return " at " + time.Duration(n).String()
	}
	return ""
}

// cost returns how many events interference has cost.
func cost(l *call.Loss) string {
	switch c := l.Interference.Cost; {
	case !c.Reported && !c.AtMost:
		return ""
	case c.AtMost:
		return fmt.Sprintf(" (cost at most %s)", plural.Of(c.Events, "event"))
	case c.Exact:
		return fmt.Sprintf(" (cost %s)", plural.Of(c.Events, "event"))
	}
	return " (cost an unknown number of events)"
}

// sentences returns all that the traces lack, beginning with lost events.
func (l *lost) sentences() (all []string) {
	// A trace whose end is not known has no total.
	if n := max(l.total, l.here); n > 0 {
		all = append(all, plural.Were(n, "event")+" lost, because the buffer was full")
	}
	if l.unknown > 0 {
		all = append(all, fmt.Sprintf("events were lost at %s, of an unknown number", plural.Of(l.unknown, "place")))
	}
	all = append(all, l.notes...)
	if l.more > 0 {
		all = append(all, fmt.Sprintf("%s more", plural.Of(l.more, "such note")))
	}
	return all
}
