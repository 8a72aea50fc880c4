package report

import (
	"slices"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
)

// A line is the time line that the calls of all traces are on, in ns from its start. It is that
// of the wall clock if that is known, as it was for the first call of each trace: a clock that was
// set later does not move calls.
type line struct {
	traces []trace
	of     map[*call.Trace]int // index in traces
	others int                 // traces beyond mostTraces

	begun bool
	walls bool  // start is in ns since 1970, otherwise on the trace clock
	start int64 // of the line
	last  int64 // the latest end of a call, from the start
}

// mostTraces is how many traces are described. There are never more at a time.
const mostTraces = 1000

// A trace is what is known of one.
type trace struct {
	*call.Trace
	ended  bool // End was called
	placed bool
	shift  int64 // what to add to its times to get those of the line; valid if placed
	wall   int64 // what to add to get ns since 1970, 0 if that is not known
}

func (l *line) add(t *call.Trace) {
	if l.of == nil {
		l.of = map[*call.Trace]int{}
	}
	if len(l.traces) >= mostTraces {
		l.others++
		l.of[t] = mostTraces - 1
		return
	}
	l.of[t] = len(l.traces)
	l.traces = append(l.traces, trace{Trace: t})
}

func (l *line) end(t *call.Trace) { l.traces[l.of[t]].ended = true }

// at returns when a call began.
func (l *line) at(c *call.Call) int64 {
	t := &l.traces[l.of[c.Trace]]
	if !t.placed {
		l.place(t, c)
	}
	at := int64(c.Time) + t.shift
	l.last = max(l.last, at)
	if c.Timed {
		l.last = max(l.last, at+int64(min(c.Duration, 1<<62)))
	}
	return at
}

// place places a trace on the line by its first call. One whose time of day is not known begins
// with the line.
func (l *line) place(t *trace, c *call.Call) {
	t.placed = true
	first := int64(c.Time)
	if b := t.Origin.Began; b != nil && b.Trace < c.Time {
		first = int64(b.Trace)
	}
	if c.Wall != 0 {
		t.wall = c.Wall - int64(c.Time)
	}
	if !l.begun {
		l.begun, l.walls = true, t.wall != 0
		l.start = first + t.wall
	}
	if l.walls && t.wall != 0 {
		t.shift = t.wall - l.start
		return
	}
	t.shift = -first
}

// position returns when something was at a time on the clock of a trace. It is not known before
// the first call.
func (l *line) position(of *call.Trace, time uint64) (at int64, ok bool) {
	i, ok := l.of[of]
	if !ok || !l.traces[i].placed || time == 0 {
		return 0, false
	}
	return int64(time) + l.traces[i].shift, true
}

// unplaced reports whether the time of day of a trace is not known, so that its place is a guess.
func (l *line) unplaced() bool {
	return len(l.traces) > 1 && slices.ContainsFunc(l.traces, func(t trace) bool { return t.placed && t.wall == 0 })
}
