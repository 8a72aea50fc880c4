package guard

import (
	"slices"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/tracefs/define"
)

// rateTime is how often the rates of events are checked, so that a trace of a second is
// guarded as well.
const rateTime = 100 * time.Millisecond

// rates switches off the probes of functions that are called too often, so that they
// neither crowd out the others nor feed on their own output.
type rates struct {
	g *Guard
	// the last check
	when time.Time
	last map[string]uint64  // events of each probe until then
	over map[string]float64 // events of each probe beyond what the time until then allows
	off  map[*plan.Plan]bool

	asked  time.Time // when the kernel was last asked for lost events
	lost   uint64    // events lost until then
	losing bool      // more were lost in the last second
	quiet  bool      // there was no event before the last check: the first one wakes the guard
}

func newRates(g *Guard) *rates {
	now := time.Now()
	return &rates{g: g, when: now, asked: now, last: map[string]uint64{}, over: map[string]float64{}, off: map[*plan.Plan]bool{}}
}

// next returns when the next check is due, at latest at a time.
func (r *rates) next(latest time.Time) time.Time {
	if due := r.when.Add(rateTime); r.g.o.MaxRate > 0 && !r.quiet && due.Before(latest) {
		return due
	}
	return latest
}

// check looks at the events since the last check. A probe may have the events of one
// second at any moment, as one burst: it is switched off when it has had more of them
// than that beyond what the time allows.
func (r *rates) check(now time.Time) {
	elapsed := now.Sub(r.when).Seconds()
	if r.g.o.MaxRate == 0 || elapsed < rateTime.Seconds()/2 {
		return
	}
	r.when = now
	if w := r.g.watch; w != nil { // before looking, so that no event comes unnoticed in between
		r.g.o.Session.Tally().Await(func() { w.Hasten(time.Now().Add(rateTime)) })
	}
	if now.Sub(r.asked) >= guardTime && r.flips(now) { // from here on other counts are compared
		r.last, r.quiet = r.g.seen(r.losing), false
		return
	}
	seen := r.g.seen(r.losing)
	r.quiet = r.g.watch != nil && !r.g.watchFailed && !r.losing
	hot := map[*plan.Plan]uint64{}
	for _, p := range plan.Probes(r.g.o.Plans()) {
		n := float64(seen[p.Event] - min(seen[p.Event], r.last[p.Event])) // last may be larger: it may be that of an old ID
		r.last[p.Event] = seen[p.Event]
		r.quiet = r.quiet && n == 0
		r.over[p.Event] = max(0, r.over[p.Event]+n-float64(r.g.o.MaxRate)*elapsed)
		if r.over[p.Event] <= float64(r.g.o.MaxRate) || r.off[p.Plan] || p.Plan.Renames != "" {
			continue
		}
		hot[p.Plan] = max(hot[p.Plan], uint64(n/elapsed))
	}
	for _, p := range r.g.o.Plans() { // in the order of the plans
		if n, is := hot[p]; is && !r.off[p] {
			r.switchOff(p, n)
		}
	}
}

// flips reports whether events have begun or ceased to be lost.
func (r *rates) flips(now time.Time) bool {
	b, err := r.g.o.Session.Balance()
	losing, before := err == nil && b.Lost > r.lost, r.losing
	r.asked, r.lost, r.losing = now, b.Lost, losing
	return losing != before
}

func (r *rates) switchOff(p *plan.Plan, rate uint64) {
	all, err := r.g.o.SwitchOff(p, rate)
	if err != nil {
		r.g.o.Warner.Warnf("%s has %d events a second, and its probe cannot be switched off: %v", p.Spec.Named(), rate, err)
		return
	}
	for _, p := range all {
		r.off[p] = true
	}
	if !slices.ContainsFunc(r.g.o.Plans(), func(p *plan.Plan) bool { return !r.off[p] && !p.IsOwn() }) {
		r.g.o.Warner.Warnf("all probes are switched off: the trace ends")
		r.g.o.Spend()
	}
}

// seen returns how many events each probe has had. It counts events that were read.
// While events are being lost it uses the kernel's counts, if every hit makes an event.
// Those include calls of this program, which are not recorded.
func (g *Guard) seen(losing bool) map[string]uint64 {
	if losing && g.countable() {
		if hits, err := define.Hits(g.o.Session, g.o.Plans()); err == nil {
			seen := map[string]uint64{}
			for event, h := range hits {
				seen[event] = h.Hits
			}
			return seen
		}
	}
	return define.Read(g.o.Session, g.o.Plans())
}
