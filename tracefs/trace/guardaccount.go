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
func (g *guard) cost() (string, tracefs.Cost) {
	was := g.mark
	g.mark = g.account()
	k := counting{countable: g.t.countable(), drifts: g.drifts, uncounted: g.uncounted, anew: g.anew}
	g.uncounted, g.anew = false, false
	return k.cost(was, g.mark)
}

// counting is what is known of the kernel's counts.
type counting struct {
	countable bool // every hit of a probe makes an event, and nothing else does
	drifts    bool // but calls of this program
	uncounted bool // probes were off
	anew      bool // the counts are not those that were
}

// cost is how many events are missing between two accounts: in words, and as a number
// only if that is exact, or a bound.
func (k counting) cost(was, now account) (text string, c tracefs.Cost) {
	c.Told = true
	hits := int64(now.hits - was.hits)
	least, missing := was.lacks(now)
	exact, bound := was.exact && now.exact, k.drifts || least != missing
	about := ""
	switch {
	case !exact:
		about = "about "
	case bound:
		about = "up to "
	}
	switch {
	case !now.known || !was.known:
		return "how many events that has cost is not known", c
	case k.anew:
		return "how many events that has cost is not known, for the kernel has begun to count anew", c
	case !k.countable:
		return fmt.Sprintf("the probes were hit %d times meanwhile, and how much of that was asked for is not known", hits), c
	case k.uncounted && missing > 0:
		return fmt.Sprintf("%s%d events are missing, and those that nobody has counted", about, missing), c
	case k.uncounted:
		return "how many events that has cost is not known, for probes that are off count nothing", c
	case missing > 0:
		if exact {
			c.Known, c.AtMost, c.Events = !bound, bound, uint64(missing)
		}
		return fmt.Sprintf("%s%d events are missing", about, missing), c
	case !exact:
		return "no events seem to be missing", c
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
