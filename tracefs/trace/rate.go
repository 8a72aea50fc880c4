package trace

import (
	"slices"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
)

// A rates switches off the probes of functions that are called too often, so that they
// neither drown the rest nor feed on what is shown of them.
type rates struct {
	t    *Trace
	most int // events a second of one probe; 0 for no limit
	when time.Time
	last map[string]uint64          // events of each probe until then
	hot  map[*fetchargs.Plan]uint64 // events of the second before, of those that had too many
	off  map[*fetchargs.Plan]bool

	lost   uint64 // events, until then
	losing bool   // and more were lost in the last second
}

func newRates(t *Trace, most int) *rates {
	return &rates{t: t, most: most, when: time.Now(), last: map[string]uint64{}, hot: map[*fetchargs.Plan]uint64{}, off: map[*fetchargs.Plan]bool{}}
}

// check looks at what has come since the last check, some time ago. A probe must have
// had too many events twice running: a burst is what buffers are for.
func (r *rates) check(now time.Time) {
	elapsed := now.Sub(r.when).Seconds()
	if r.most == 0 || elapsed < guardTime.Seconds()/2 {
		return
	}
	r.when = now
	b, err := r.t.session.Balance()
	losing := err == nil && b.Lost > r.lost
	if r.lost = b.Lost; losing != r.losing { // another count begins
		r.losing, r.last = losing, r.t.seen(losing)
		return
	}
	seen := r.t.seen(losing)
	hot := map[*fetchargs.Plan]uint64{}
	for _, p := range fetchargs.Probes(r.t.plansNow()) {
		n := seen[p.Event] - min(seen[p.Event], r.last[p.Event]) // which is of its number before
		r.last[p.Event] = seen[p.Event]
		if float64(n) <= float64(r.most)*elapsed || r.off[p.Plan] {
			continue
		}
		hot[p.Plan] = max(hot[p.Plan], uint64(float64(n)/elapsed))
	}
	for _, p := range r.t.plansNow() { // in their order
		if n, now := hot[p]; now && r.hot[p] > 0 {
			r.switchOff(p, n)
		}
	}
	r.hot = hot
}

func (r *rates) switchOff(p *fetchargs.Plan, rate uint64) {
	var events []string
	total := uint64(0)
	for _, probe := range fetchargs.Probes([]*fetchargs.Plan{p}) {
		events = append(events, probe.Event)
		total = max(total, r.last[probe.Event])
	}
	if err := r.t.session.Pause(events); err != nil {
		r.t.warn("%s has %d events a second, and its probe cannot be switched off: %v", p.Spec.Func.Text, rate, err)
		return
	}
	r.off[p] = true
	r.t.warn("%s has %d events a second: its probe is switched off, after %d events; --max-rate 0 lets it go on", p.Spec.Func.Text, rate, total)
	if !slices.ContainsFunc(r.t.plansNow(), func(p *fetchargs.Plan) bool { return !r.off[p] && p.Renames == "" }) {
		r.t.warn("all probes are switched off: the trace ends")
		r.t.spend()
	}
}

// seen is how many events each probe has had: what was read, or while events are being
// lost what the kernel has counted, if each hit is an event. That has the calls of
// this program, too, which are not recorded.
func (t *Trace) seen(losing bool) map[string]uint64 {
	seen := map[string]uint64{}
	if losing && t.countable() {
		if hits, err := t.session.Profile(); err == nil {
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
