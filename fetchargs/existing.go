package fetchargs

import (
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/source"
)

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

// compares reports whether the kernel can compare a field of such an event, or a part of it, in
// the event's filter as the test does. The filter takes all bytes of a field, also those that its
// type does not have; in one that is wider than its type it can only look at single bits.
func (b *builder) compares(a *dynevent.Arg, t *cond.Test) bool {
	whole := a.Base.Kind == dynevent.Field || a.Base.Kind == dynevent.FieldText && a.Hops[0].Offset == 0
	if !whole || a.Name != a.Base.Name || !b.r.fn.Filters(a.Base.Name) {
		return false
	}
	if f := b.r.fn.Event.Field(a.Base.Name); a.Base.Kind != dynevent.Field || f == nil || f.Size == a.Type.Size {
		return true
	}
	bits := t.Value.Mask
	if t.Op == "&" {
		bits = t.Value.Num
	}
	return bits != 0 && int64(bits) > 0
}
