package trace

import (
	"slices"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
)

// rates switches off the probes of functions that are called too often, so that they
// neither crowd out the others nor feed on their own output.
type rates struct {
	t    *Trace
	most int // events a second allowed for one probe; 0 for no limit
	// the last check
	when time.Time
	last map[string]uint64          // events of each probe until then
	hot  map[*fetchargs.Plan]uint64 // plans with too many events in the second before, and how many
	off  map[*fetchargs.Plan]bool

	lost   uint64 // events lost until then
	losing bool   // more were lost in the last second
}

func newRates(t *Trace, most int) *rates {
	return &rates{t: t, most: most, when: time.Now(), last: map[string]uint64{}, hot: map[*fetchargs.Plan]uint64{}, off: map[*fetchargs.Plan]bool{}}
}

// check looks at the events since the last check. A probe is switched off if it had too
// many events in two successive checks: buffers can hold one burst.
func (r *rates) check(now time.Time) {
	elapsed := now.Sub(r.when).Seconds()
	if r.most == 0 || elapsed < guardTime.Seconds()/2 {
		return
	}
	r.when = now
	b, err := r.t.session.Balance()
	losing := err == nil && b.Lost > r.lost
	if r.lost = b.Lost; losing != r.losing { // from here on other counts are compared
		r.losing, r.last = losing, r.t.seen(losing)
		return
	}
	seen := r.t.seen(losing)
	hot := map[*fetchargs.Plan]uint64{}
	for _, p := range fetchargs.Probes(r.t.plansNow()) {
		n := seen[p.Event] - min(seen[p.Event], r.last[p.Event]) // last may be larger: it may be that of an old ID
		r.last[p.Event] = seen[p.Event]
		if float64(n) <= float64(r.most)*elapsed || r.off[p.Plan] || p.Plan.Renames != "" {
			continue
		}
		hot[p.Plan] = max(hot[p.Plan], uint64(float64(n)/elapsed))
	}
	for _, p := range r.t.plansNow() { // in the order of the plans
		if n, now := hot[p]; now && r.hot[p] > 0 {
			r.switchOff(p, n)
		}
	}
	r.hot = hot
}

func (r *rates) switchOff(p *fetchargs.Plan, rate uint64) {
	plans, total := []*fetchargs.Plan{p}, uint64(0)
	for _, probe := range fetchargs.Probes(plans) {
		total = max(total, r.last[probe.Event])
	}
	if err := r.t.switchOff(plans); err != nil {
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
