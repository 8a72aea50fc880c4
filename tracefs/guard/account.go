package guard

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// An account holds the kernel's counts at some time.
type account struct {
	known bool
	still bool   // nothing was being read from the buffers meanwhile
	first uint64 // hits of all probes before seen was read
	hits  uint64 // and after that
	seen  uint64 // events read here, still in the buffers, read by others, or reported as lost

	unread      uint64 // those of seen that are in the buffers, no matter who put them there
	lost        uint64 // those of seen that were reported as lost, no matter whose they were
	otherEvents uint64 // events that were read and are not from our probes; not in seen

	tasksFirst, tasks uint64 // started since boot, before and after seen was read
}

// account reads the kernel's counts.
//
// The counts are read one after the other: they are exact if nothing has happened
// meanwhile, and else account tries again, unless as much happens each time: then a probe
// is hit by what account itself does. Nobody counts events that are just being read, so
// account waits for that.
func (g *Guard) account() (a account) {
	const tries, pause = 5, 5 * time.Millisecond
	for i := range tries {
		before := a
		if i > 0 && !a.still {
			time.Sleep(pause)
		}
		tasks := proc.Started()
		first, err := g.hits()
		b, e := g.o.Session.Balance()
		if err = cmp.Or(err, e); err != nil {
			return account{}
		}
		g.emptied, g.countsReset = g.emptied || b.Emptied, g.countsReset || b.Emptied
		a = account{known: g.counts(), still: b.Still, first: first, unread: b.Unread, lost: b.Lost, otherEvents: g.otherEvents(), tasksFirst: tasks, tasks: proc.Started()}
		a.seen = b.Seen + b.Stolen - a.otherEvents
		if a.hits, err = g.hits(); err != nil {
			return account{}
		}
		if a.exact() || before.still && a.still && a.hits-a.first == before.hits-before.first {
			break
		}
	}
	return a
}

// exact reports whether nothing has happened while the counts were read.
func (a account) exact() bool { return a.still && a.first == a.hits }

// lacks returns how many more hits than events there were between a and now, as lower
// and upper bounds: there may have been hits while the counts were read, and events
// that others had put into the buffers by then were taken for events of the probes.
func (a account) lacks(now account) (least, most int64) {
	seen := int64(now.seen - a.seen)
	least = int64(now.first-a.hits) - seen - int64(min(a.unread, now.otherEvents-a.otherEvents))
	return least, int64(now.hits-a.first) - seen
}

// births returns how many of the events that are unread or lost now, and were not in a, may
// be those of new tasks.
func (a account) births(now account) uint64 {
	n := now.unread + now.lost - a.lost
	if now.tasks > 0 { // else /proc/stat cannot be read
		n = min(n, now.tasks-a.tasksFirst)
	}
	return n
}

// otherEvents returns how many of the events that were read are not from our probes: others
// have put them into the buffers.
func (g *Guard) otherEvents() uint64 {
	for _, e := range g.o.Session.Events() {
		g.ids[g.o.Session.ID(e)] = true
	}
	tally := g.o.Session.Tally()
	n := tally.All()
	for id := range g.ids {
		n -= tally.Of(id)
	}
	return n
}

// hits returns how often the probes were hit, all together.
func (g *Guard) hits() (n uint64, err error) {
	hits, err := define.Hits(g.o.Session, g.o.Plans())
	for _, h := range hits {
		n += h.Hits
	}
	return n, err
}

// cost returns how many events the reported interference has cost, as far as the kernel
// has counted, and starts to count again.
func (g *Guard) cost() (string, tracefs.Cost) {
	was := g.mark
	g.mark = g.account()
	k := counting{countable: g.countable(), births: g.o.NewTasks, drifts: g.drifts, uncounted: g.uncounted, countsReset: g.countsReset}
	g.uncounted, g.countsReset = false, false
	return k.cost(was, g.mark)
}

// counting holds what is known about the kernel's counts.
type counting struct {
	countable   bool // every hit of a probe makes an event
	births      bool // new tasks also make events
	drifts      bool // except calls of this program
	uncounted   bool // probes were off
	countsReset bool // the counts were reset
}

// cost returns how many events are missing between two accounts: in words, and as a
// number only if it is exact or an upper bound.
func (k counting) cost(was, now account) (text string, c tracefs.Cost) {
	const unknown = "the number of missing events is unknown"
	c.Reported = true
	least, most := was.lacks(now)
	if k.births {
		most += int64(was.births(now))
	}
	if k.drifts {
		least = min(least, 0)
	}
	still := was.still && now.still
	switch {
	case !now.known || !was.known:
		return unknown, c
	case k.countsReset:
		return unknown + ": the kernel's counters were reset", c
	case !k.countable && k.uncounted:
		return unknown + ": probes that are off count nothing", c
	case !k.countable && now.hits == was.first:
		c.Exact = true
		return "no events are missing", c
	case !k.countable:
		return fmt.Sprintf("the probes were hit %d times meanwhile, and how much of that was asked for is not known", now.hits-was.first), c
	case k.uncounted && still && least > 0: // an upper bound of what was counted bounds nothing
		return number(still, least, most) + " events are missing, and those that nobody has counted", c
	case k.uncounted:
		return unknown + ": probes that are off count nothing", c
	case !still && most <= 0:
		return "no events seem to be missing", c
	case most <= 0:
		c.Exact = true
		return "no events are missing", c
	case still:
		c.Exact, c.AtMost, c.Events = least == most, least < most, uint64(most)
	}
	return number(still, least, most) + " events are missing", c
}

// number returns in words a number that is between two bounds, if these are sure.
func number(sure bool, least, most int64) string {
	switch {
	case !sure:
		return fmt.Sprintf("about %d", most)
	case least == most:
		return fmt.Sprint(most)
	case least > 0:
		return fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("up to %d", most)
}

// counts reports whether the kernel counts the hits of all probes.
func (g *Guard) counts() bool {
	return !slices.ContainsFunc(g.o.Plans(), func(p *plan.Plan) bool { return !p.AtFunction() })
}

// countable reports whether every hit of a probe makes an event, and nothing but new tasks
// makes others.
func (g *Guard) countable() bool {
	if g.o.Stacks || g.o.Family != nil || !g.counts() {
		return false
	}
	for _, p := range plan.Probes(g.o.Plans()) {
		if p.Filter != "" {
			return false
		}
	}
	return true
}
