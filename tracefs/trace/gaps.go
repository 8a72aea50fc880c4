package trace

import (
	"fmt"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

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
