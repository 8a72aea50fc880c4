package trace

import (
	"fmt"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
)

// An account is what the kernel has counted.
type account struct {
	known bool
	still bool   // nothing was being read from the buffers while the counts were
	exact bool   // and nothing else has happened
	hits  uint64 // of the probes
	seen  uint64 // events that were read here, or will be, or by others, or that are told of as lost

	unread  uint64 // of seen, those in the buffers, whosever they are
	foreign uint64 // events that were read and are no probe's: not in seen
}

// account is what has been counted until now.
//
// The counts are read one after the other: they are exact if nothing has happened
// meanwhile. What is just being read nobody has counted: that is waited for.
func (g *guard) account() (a account) {
	const tries, pause = 5, 5 * time.Millisecond
	for i := range tries {
		if i > 0 && !a.still {
			time.Sleep(pause)
		}
		before, err := g.hits()
		b, e := g.t.session.Balance()
		if err = firstError(err, e); err != nil {
			return account{}
		}
		g.emptied, g.anew = g.emptied || b.Emptied, g.anew || b.Emptied
		a = account{known: true, still: b.Still, unread: b.Unread, foreign: g.foreign()}
		a.seen = b.Seen + b.Stolen - a.foreign
		if a.hits, err = g.hits(); err == nil && a.hits == before && a.still {
			a.exact = true
			break
		}
	}
	return a
}

// lacks is how many more hits than events there have been from a to now, at least and at
// most: what others had put into the buffers by then was taken for events of the probes.
func (a account) lacks(now account) (least, most int64) {
	most = int64(now.hits-a.hits) - int64(now.seen-a.seen)
	return most - int64(min(a.unread, now.foreign-a.foreign)), most
}

// foreign is how many events were read that are none of the trace's: others have put
// them into its buffers.
func (g *guard) foreign() uint64 {
	for _, e := range g.t.session.Events() {
		g.ids[g.t.session.ID(e)] = true
	}
	tally := g.t.session.Tally()
	n := tally.All()
	for id := range g.ids {
		n -= tally.Of(id)
	}
	return n
}

// hits is how often all probes were hit.
func (g *guard) hits() (n uint64, err error) {
	hits, err := g.t.session.Profile()
	for _, h := range hits {
		n += h.Hits
	}
	return n, err
}

// cost is how many events the interference that has been told of has cost, as far as
// the kernel has counted, and begins anew.
func (g *guard) cost() (text string, c tracefs.Cost) {
	c.Told = true
	was := g.mark
	g.mark = g.account()
	hits := int64(g.mark.hits - was.hits)
	least, missing := was.lacks(g.mark)
	uncounted, anew := g.uncounted, g.anew
	g.uncounted, g.anew = false, false
	about := ""
	switch {
	case g.drifts, least != missing:
		about = "up to "
	case !was.exact || !g.mark.exact:
		about = "about "
	}
	switch {
	case !g.mark.known || !was.known:
		return "how many events that has cost is not known", c
	case anew:
		return "how many events that has cost is not known, for the kernel has begun to count anew", c
	case !g.t.countable():
		return fmt.Sprintf("the probes were hit %d times meanwhile, and how much of that was asked for is not known", hits), c
	case uncounted && missing > 0:
		return fmt.Sprintf("%s%d events are missing, and those that nobody has counted", about, missing), c
	case uncounted:
		return "how many events that has cost is not known, for probes that are off count nothing", c
	case missing > 0:
		c.Known, c.Events = true, uint64(missing)
		return fmt.Sprintf("%s%d events are missing", about, missing), c
	}
	c.Known = true
	return "no events are missing", c
}

// countable tells whether every hit of a probe makes an event, and nothing else does.
func (t *Trace) countable() bool {
	if t.stacks != nil || t.own != nil || t.pids {
		return false
	}
	for _, p := range fetchargs.Probes(t.plansNow()) {
		if p.Filter != "" {
			return false
		}
	}
	return true
}
