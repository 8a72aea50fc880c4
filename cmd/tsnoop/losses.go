package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
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

	// faults is how many values of the calls seen so far the kernel may have counted
	// as misses, by function.
	faults map[string]uint64
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

// total ends the tracing and says exactly what was lost and missed, from the
// kernel's own counts.
func (l *losses) total(t *liveTrace) {
	if err := t.session.Stop(); err != nil {
		l.ui.detail("%v", err)
	}
	if stats, err := t.session.FinalStats(); err != nil {
		l.ui.warn("whether events were lost is not known: %v", err)
	} else {
		l.totalLost(t, stats)
	}
	l.totalMissed(t)
}

// recorded says what had been lost when a recording was made.
func (l *losses) recorded(stats []tracefs.CPUStats) {
	if all, where := sumLost(stats); all > 0 {
		l.ui.warn("%d events were lost in all while this was recorded: %s", all, where)
		l.data(func(dst []byte) []byte { return l.sink.LostTotal(dst, stats) })
	}
}

func sumLost(stats []tracefs.CPUStats) (all uint64, where string) {
	var parts []string
	for _, st := range stats {
		if n := st.Lost(); n > 0 {
			all += n
			parts = append(parts, fmt.Sprintf("%d on CPU %d", n, st.CPU))
		}
	}
	return all, strings.Join(parts, ", ")
}

// sumSkipped is how many of those no buffer could have kept.
func sumSkipped(stats []tracefs.CPUStats) (n uint64) {
	for _, st := range stats {
		n += st.Skipped
	}
	return n
}

func (l *losses) totalLost(t *liveTrace, stats []tracefs.CPUStats) {
	all, where := sumLost(stats)
	if all == 0 {
		return
	}
	cure := "; the kernel has passed over them"
	if kb, err := t.session.BufferKB(); err == nil && all > sumSkipped(stats) {
		cure = fmt.Sprintf("; a bigger buffer helps: -b %dM", kb>>9+1) // twice this size
	}
	l.ui.warn("%d events were lost in all: %s%s", all, where, cure)
	l.data(func(dst []byte) []byte { return l.sink.LostTotal(dst, stats) })
}

// data says it in the data too, if there are any.
func (l *losses) data(add func([]byte) []byte) {
	if l.out != nil {
		l.out.line(add)
	}
}
