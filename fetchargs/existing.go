package fetchargs

import "github.com/tsnoop/tsnoop/fetchargs/source"

// existing makes the probe one event that the kernel has by itself: "SYSTEM/EVENT". A run can
// record it for one spec only, since it has one filter.
func (b *builder) existing() {
	p, r := b.probe, b.r
	delete(r.events.used, p.Event)
	p.Event = p.Existing()
	at, name := r.fn.Spec.Func.Span, r.fn.Spec.Func.Text
	if own, ok := r.fn.Target.Reserved[p.Event]; ok {
		r.FailWith(at, source.Limit{Why: p.Event}, own.Instead, "tsnoop records %s itself, %s", name, own.For)
		return
	}
	if r.events.used[p.Event] {
		const msg = "%s is recorded for another spec already, with a filter of its own"
		r.FailWith(at, source.Limit{Why: p.Event}, "put both into one spec", msg, name)
		return
	}
	r.named = append(r.named, r.events.take(p.Event))
}
