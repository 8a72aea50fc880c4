package stream

import "github.com/tsnoop/tsnoop/tracefs/proc/symbols"

// NameBy names addresses by a table of symbols.
func (r *Stream) NameBy(t *symbols.Table) {
	t.Unreadable = func(err error) { r.Warner.Warnf("functions are shown as numbers: %v", err) }
	r.Symbol, r.IsCode, r.IsName = t.Name, t.IsCode, func(uint64) bool { return false }
}
