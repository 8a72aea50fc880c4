package stream

import (
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
)

// lossesEvery is the interval between warnings about lost events.
const lossesEvery = time.Second

// Gaps warn from time to time that events are being lost. The zero value is ready to use.
type Gaps struct {
	any      bool   // events were lost
	lost     uint64 // since the last warning
	unknown  bool   // and more, which the kernel did not count
	reported time.Time
	damaged  bool // some may be in damaged pages, which is reported in the end
}

// Damage says that what is lost, also by the kernel, is reported in the end.
func (g *Gaps) Damage() { g.damaged = true }

// lose notes what was lost before an event. lost, if not nil, is called with it.
func (g *Gaps) lose(e *tracefs.Event, w tracefs.Warner, lost func(*tracefs.Event)) {
	g.any = true
	if lost != nil {
		lost(e)
	}
	if g.damaged {
		return
	}
	if e.Lost == tracefs.LostUnknown {
		g.unknown = true
	} else {
		g.lost += e.Lost
	}
	if time.Since(g.reported) < lossesEvery {
		return
	}
	what := plural.Were(g.lost, "event")
	switch {
	case g.unknown && g.lost == 0:
		what = "some events were"
	case g.unknown:
		what = "more than " + what
	}
	w.Warnf("%s lost, the last on CPU %d: the kernel's buffer was full", what, e.CPU)
	g.lost, g.unknown, g.reported = 0, false, time.Now()
}
