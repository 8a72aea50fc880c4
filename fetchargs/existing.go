package fetchargs

import (
	"github.com/tsnoop/tsnoop/fetchargs/source"
)

// existing makes the probe one event that the kernel has by itself: "SYSTEM/EVENT". A run can
// record it for one spec only, since it has one filter.
func (b *builder) existing() {
	p, r := b.probe, b.r
	delete(r.events.used, p.Event)
	if p.Event = p.Existing(); r.events.used[p.Event] {
		const msg = "%s is recorded for another spec already, with a filter of its own"
		r.FailWith(r.fn.Spec.Func.Span, source.Limit(p.Event), "put both into one spec", msg, r.fn.Spec.Func.Text)
		return
	}
	r.named = append(r.named, r.events.take(p.Event))
}
