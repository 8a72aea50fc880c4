package trace

import (
	"fmt"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Losses says what a trace does not show, from the kernel's own counts.
type Losses struct {
	CPUs     []tracefs.CPUStats // counts of each CPU's buffer
	Err      error              // why CPUs is not known
	BufferKB int                // size of each CPU's buffer in KiB, 0 if not known
	Missed   []Missed           // in the order of the plans

	Unfinished []Unfinished // only of plans that record returns alone; others yield such calls

	// Unsure is how many further calls of UnsureFuncs may have been missed, or had
	// values that could not be read: before 5.14 the kernel does not tell these apart.
	Unsure      uint64
	UnsureFuncs []string

	Damaged Between // events in damaged parts of a recording

	recorded bool // the events were lost when the file was recorded
}

// Missed counts the calls of a function, or its returns, for which the kernel could not
// run the probe.
type Missed struct {
	Func   string
	Return bool
	Calls  uint64
	AtMost bool // not all of Calls may be of what the trace shows: the kernel counts all tasks
}

// Events returns how many events were lost in all, and at least in damaged parts.
func (l *Losses) Events() (n uint64) {
	return l.kernel() + l.Damaged.Min
}

// kernel returns how many events the kernel has lost.
func (l *Losses) kernel() (n uint64) {
	for i := range l.CPUs {
		n += l.CPUs[i].Lost()
	}
	return n
}

// Skipped returns how many of the lost events a larger buffer would not have kept: see
// tracefs.CPUStats.
func (l *Losses) Skipped() (n uint64) {
	for i := range l.CPUs {
		n += l.CPUs[i].Skipped
	}
	return n
}

// Losses stops the tracing and returns exactly what was lost and missed.
func (t *Trace) Losses() *Losses {
	t.stop()
	t.guard.Settle()
	t.takeFurther() // plans whose events have not come
	var l Losses
	if l.CPUs, l.Err = t.session.FinalStats(); l.Err == nil {
		l.BufferKB, _ = t.session.BufferKB()
	}
	t.missed(&l)
	l.Unfinished = t.inFlight.unfinished(t.inFlight.last)
	return &l
}

// lossesEvery is the interval between warnings about lost events.
const lossesEvery = time.Second

// A lossTeller warns from time to time that events are being lost.
type lossTeller struct {
	lost    uint64 // since the last warning
	unknown bool   // and more, which the kernel did not count
	told    time.Time
	damaged bool // some may be in damaged pages, which is reported in the end
}

// lose notes what was lost before an event.
func (r *Reading) lose(e *tracefs.Event) {
	r.gap = true
	if r.Lost != nil {
		r.Lost(e)
	}
	l := &r.losing
	if l.damaged { // also what the kernel has lost is reported then
		return
	}
	if e.Lost == tracefs.LostUnknown {
		l.unknown = true
	} else {
		l.lost += e.Lost
	}
	if time.Since(l.told) < lossesEvery {
		return
	}
	n := fmt.Sprint(l.lost)
	switch {
	case l.unknown && l.lost == 0:
		n = "some"
	case l.unknown:
		n = "more than " + n
	}
	r.warner.Warnf("%s events were lost, the last on CPU %d: they came faster than they were read", n, e.CPU)
	*l = lossTeller{told: time.Now()}
}

// Tell reports the losses in words, one warning for each.
func (l *Losses) Tell(tell func(tracefs.Warning)) {
	w := tracefs.Warner(tell)
	if l.Err != nil {
		w.Warnf("whether events were lost is not known: %v", l.Err)
	}
	switch n := l.kernel(); {
	case n == 0:
	case l.recorded:
		w.Warnf("%d events were lost in all while this was recorded: %s", n, l.places())
	case l.BufferKB > 0 && n > l.Skipped():
		tell(tracefs.Warning{Text: fmt.Sprintf("%d events were lost in all: %s", n, l.places()), BufferKB: 2 * l.BufferKB})
	default:
		w.Warnf("%d events were lost in all: %s; the kernel has passed over them", n, l.places())
	}
	for _, m := range l.Missed {
		what := "calls"
		if m.Return {
			what = "returns"
		}
		n := fmt.Sprint(m.Calls)
		if m.AtMost {
			n = "up to " + n
		}
		w.Warnf("%s %s of %s were missed: the kernel could not run the probe", n, what, m.Func)
	}
	for _, u := range l.Unfinished {
		began := "began"
		if u.Earlier {
			began = "began before the trace"
		}
		w.Warnf("%s of %s %s and did not end", callsOf(u.Calls), u.Func, began)
	}
	if len(l.UnsureFuncs) > 0 {
		w.Warnf("up to %d calls of %s were missed, or had values that could not be read: before 5.14 the kernel does not tell these apart", l.Unsure, strings.Join(l.UnsureFuncs, ", "))
	}
}

// places returns text like "5 on CPU 0, 7 on CPU 1".
func (l *Losses) places() string {
	var parts []string
	for _, st := range l.CPUs {
		if n := st.Lost(); n > 0 {
			parts = append(parts, fmt.Sprintf("%d on CPU %d", n, st.CPU))
		}
	}
	return strings.Join(parts, ", ")
}
