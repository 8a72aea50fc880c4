package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// tellEvery is how often it is said that events are being lost.
const tellEvery = time.Second

// losses says what the trace does not show: on stderr now and then and exactly
// at the end, in JSON also where it happens.
type losses struct {
	ui   *ui
	out  *output // nil if the data are only a recording or sums
	sink render.Sink

	lost    uint64 // since the last word about it
	unknown bool   // and more, of which the kernel has no count
	told    time.Time
}

func newLosses(o *options, ui *ui, out *output, sink render.Sink) *losses {
	if o.summary == "only" {
		out = nil
	}
	return &losses{ui: ui, out: out, sink: sink}
}

// add notes what was lost before an event.
func (l *losses) add(e *tracefs.Event) {
	l.data(func(dst []byte) []byte { return l.sink.Lost(dst, e) })
	if e.Lost == tracefs.LostUnknown {
		l.unknown = true
	} else {
		l.lost += e.Lost
	}
	if time.Since(l.told) >= tellEvery {
		l.tell(e.CPU)
		l.told = time.Now()
	}
}

func (l *losses) tell(cpu int) {
	n := fmt.Sprint(l.lost)
	switch {
	case l.unknown && l.lost == 0:
		n = "some"
	case l.unknown:
		n = "more than " + n
	}
	l.ui.warn("%s events were lost, the last on CPU %d: they came faster than they were read", n, cpu)
	l.lost, l.unknown = 0, false
}

// total ends the tracing and says exactly what was lost and missed.
func (l *losses) total(t *trace.Trace) {
	all, err := t.Losses()
	if err != nil {
		l.ui.warn("whether events were lost is not known: %v", err)
	}
	if n := all.Events(); n > 0 {
		cure := "; the kernel has passed over them"
		if all.BufferKB > 0 && n > all.Skipped() {
			cure = fmt.Sprintf("; a bigger buffer helps: -b %dM", all.BufferKB>>9+1) // twice this size
		}
		l.ui.warn("%d events were lost in all: %s%s", n, whereLost(all), cure)
		l.data(func(dst []byte) []byte { return l.sink.LostTotal(dst, all.CPUs) })
	}
	for _, m := range all.Missed {
		what := "calls"
		if m.Return {
			what = "returns"
		}
		l.ui.warn("%d %s of %s were missed: the kernel could not run the probe", m.Calls, what, m.Func)
		l.data(func(dst []byte) []byte { return l.sink.Missed(dst, m.Func, m.Return, m.Calls) })
	}
	if len(all.UnsureFuncs) > 0 { // no figure for the data
		l.ui.warn("up to %d calls of %s were missed, or had values that could not be read: before 5.14 the kernel does not tell these apart", all.Unsure, strings.Join(all.UnsureFuncs, ", "))
	}
}

// recorded says what had been lost when a recording was made.
func (l *losses) recorded(all *trace.Losses) {
	if n := all.Events(); n > 0 {
		l.ui.warn("%d events were lost in all while this was recorded: %s", n, whereLost(all))
		l.data(func(dst []byte) []byte { return l.sink.LostTotal(dst, all.CPUs) })
	}
}

// whereLost is "5 on CPU 0, 7 on CPU 1".
func whereLost(l *trace.Losses) string {
	var parts []string
	for _, st := range l.CPUs {
		if n := st.Lost(); n > 0 {
			parts = append(parts, fmt.Sprintf("%d on CPU %d", n, st.CPU))
		}
	}
	return strings.Join(parts, ", ")
}

// data says it in the data too, if there are any.
func (l *losses) data(add func([]byte) []byte) {
	if l.out != nil {
		l.out.line(add)
	}
}
