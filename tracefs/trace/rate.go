package trace

import (
	"slices"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
)

// rateTime is how often the rates of events are checked, so that a trace of a second is
// guarded as well.
const rateTime = 100 * time.Millisecond

// rates switches off the probes of functions that are called too often, so that they
// neither crowd out the others nor feed on their own output.
type rates struct {
	t    *Trace
	most int // events a second allowed for one probe; 0 for no limit
	// the last check
	when time.Time
	last map[string]uint64  // events of each probe until then
	over map[string]float64 // events of each probe beyond what the time until then allows
	off  map[*fetchargs.Plan]bool

	asked  time.Time // when the kernel was last asked for lost events
	lost   uint64    // events lost until then
	losing bool      // more were lost in the last second
}

func newRates(t *Trace, most int) *rates {
	now := time.Now()
	return &rates{t: t, most: most, when: now, asked: now, last: map[string]uint64{}, over: map[string]float64{}, off: map[*fetchargs.Plan]bool{}}
}

// next returns when the next check is due, at latest at a time.
func (r *rates) next(latest time.Time) time.Time {
	if due := r.when.Add(rateTime); r.most > 0 && due.Before(latest) {
		return due
	}
	return latest
}

// check looks at the events since the last check. A probe may have the events of one
// second at any moment, as one burst: it is switched off when it has had more of them
// than that beyond what the time allows.
func (r *rates) check(now time.Time) {
	elapsed := now.Sub(r.when).Seconds()
	if r.most == 0 || elapsed < rateTime.Seconds()/2 {
		return
	}
	r.when = now
	if now.Sub(r.asked) >= guardTime && r.flips(now) { // from here on other counts are compared
		r.last = r.t.seen(r.losing)
		return
	}
	seen := r.t.seen(r.losing)
	hot := map[*fetchargs.Plan]uint64{}
	for _, p := range fetchargs.Probes(r.t.plansNow()) {
		n := float64(seen[p.Event] - min(seen[p.Event], r.last[p.Event])) // last may be larger: it may be that of an old ID
		r.last[p.Event] = seen[p.Event]
		r.over[p.Event] = max(0, r.over[p.Event]+n-float64(r.most)*elapsed)
		if r.over[p.Event] <= float64(r.most) || r.off[p.Plan] || p.Plan.Renames != "" {
			continue
		}
		hot[p.Plan] = max(hot[p.Plan], uint64(n/elapsed))
	}
	for _, p := range r.t.plansNow() { // in the order of the plans
		if n, is := hot[p]; is {
			r.switchOff(p, n)
		}
	}
}

// flips reports whether events have begun or ceased to be lost.
func (r *rates) flips(now time.Time) bool {
	b, err := r.t.session.Balance()
	losing, before := err == nil && b.Lost > r.lost, r.losing
	r.asked, r.lost, r.losing = now, b.Lost, losing
	return losing != before
}

func (r *rates) switchOff(p *fetchargs.Plan, rate uint64) {
	plans, total := []*fetchargs.Plan{p}, uint64(0)
	for _, probe := range fetchargs.Probes(plans) {
		total = max(total, r.last[probe.Event])
	}
	if err := r.t.switchOff(plans); err != nil {
		r.t.warner.Warnf("%s has %d events a second, and its probe cannot be switched off: %v", p.Spec.Func.Text, rate, err)
		return
	}
	r.off[p] = true
	r.t.warner.Warnf("%s has %d events a second: its probe is switched off, after %d events; --max-rate 0 lets it go on", p.Spec.Func.Text, rate, total)
	if !slices.ContainsFunc(r.t.plansNow(), func(p *fetchargs.Plan) bool { return !r.off[p] && p.Renames == "" }) {
		r.t.warner.Warnf("all probes are switched off: the trace ends")
		r.t.spend()
	}
}

// seen returns how many events each probe has had. It counts events that were read.
// While events are being lost it uses the kernel's counts, if every hit makes an event.
// Those include calls of this program, which are not recorded.
func (t *Trace) seen(losing bool) map[string]uint64 {
	seen := map[string]uint64{}
	if losing && t.countable() {
		if hits, err := t.profile(); err == nil {
			for event, h := range hits {
				seen[event] = h.Hits
			}
			return seen
		}
	}
	tally := t.session.Tally()
	for _, p := range fetchargs.Probes(t.plansNow()) {
		seen[p.Event] = tally.Of(t.session.ID(p.Event))
	}
	return seen
}
