package guard

import (
	"cmp"
	"slices"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/balance"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// account reads the kernel's counts.
//
// The counts are read one after the other: they are exact if nothing has happened
// meanwhile, and else account tries again, unless as much happens each time: then a probe
// is hit by what account itself does. Nobody counts events that are just being read, so
// account waits for that.
func (g *Guard) account() (now balance.Counts) {
	const tries, pause = 5, 5 * time.Millisecond
	for i := range tries {
		before := now
		if i > 0 && !now.Still {
			time.Sleep(pause)
		}
		tasks := proc.Started()
		first, err := g.hits()
		b, e := g.o.Session.Balance()
		if err = cmp.Or(err, e); err != nil {
			return balance.Counts{}
		}
		g.emptied, g.known.CountsReset = g.emptied || b.Emptied, g.known.CountsReset || b.Emptied
		now = balance.Counts{Known: g.counts(), Still: b.Still, First: first, Unread: b.Unread, Lost: b.Lost, OtherEvents: g.otherEvents(), TasksFirst: tasks, Tasks: proc.Started()}
		now.Seen = b.Seen + b.Stolen - now.OtherEvents
		if now.Hits, err = g.hits(); err != nil {
			return balance.Counts{}
		}
		if now.Exact() || before.Still && now.Still && now.Hits-now.First == before.Hits-before.First {
			break
		}
	}
	return now
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
	before := g.mark
	g.mark = g.account()
	k := g.known
	k.Countable, k.Births = g.countable(), g.o.NewTasks
	g.known = balance.Conditions{Drifts: k.Drifts}
	return k.Cost(before, g.mark)
}

// counts reports whether the kernel counts the hits of all probes.
func (g *Guard) counts() bool {
	return !slices.ContainsFunc(g.o.Plans(), func(p *plan.Plan) bool { return !p.Counted() })
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
