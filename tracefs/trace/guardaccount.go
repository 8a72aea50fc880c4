package trace

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
)

// An account is what the kernel has counted.
type account struct {
	known bool
	exact bool   // nothing has happened while the counts were read
	hits  uint64 // of the probes
	seen  uint64 // events that were read here, or will be, or by others, or that are told of as lost
}

// account is what has been counted until now.
//
// The counts are read one after the other: they are exact if nothing has happened
// meanwhile.
func (g *guard) account() (a account) {
	const tries = 5
	for range tries {
		before, err := g.hits()
		b, e := g.t.session.Balance()
		if err = firstError(err, e); err != nil {
			return account{}
		}
		g.emptied, g.anew = g.emptied || b.Emptied, g.anew || b.Emptied
		a = account{known: true, seen: b.Seen + b.Stolen - g.foreign()}
		if a.hits, err = g.hits(); err == nil && a.hits == before {
			a.exact = true
			break
		}
	}
	return a
}

// lacks is how many more hits than events there have been from a to now.
func (a account) lacks(now account) int64 {
	return int64(now.hits-a.hits) - int64(now.seen-a.seen)
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
	missing := was.lacks(g.mark)
	uncounted, anew := g.uncounted, g.anew
	g.uncounted, g.anew = false, false
	about := ""
	switch {
	case g.drifts:
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
