package probes

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/line"
	"github.com/tsnoop/tsnoop/fetchargs/source"
)

// Names are the names of events that a run uses.
type Names struct {
	used map[string]bool
	next map[string]int // by name without a number, the first number that may be free
}

// NewNames returns the names of a run in which those are used.
func NewNames(used []string) Names {
	n := Names{map[string]bool{}, map[string]int{}}
	for _, name := range used {
		n.used[name] = true
	}
	return n
}

// Clone returns a copy.
func (n Names) Clone() Names { return Names{maps.Clone(n.used), maps.Clone(n.next)} }

// A takenName is a name that Names have given away, and what it takes to free it.
type takenName struct {
	name, base string
	next       int
}

// Take returns a name that is not used, made of a label and a suffix, and uses it.
func (n Names) Take(label, suffix string) string {
	const room = 4 // for a number
	name := line.Identifier(label)
	return n.take(name[:min(len(name), dynevent.MaxEventName-len(suffix)-room)] + suffix).name
}

// take returns a name that is not used: base, or base with a number, which may also be
// the name of another function.
func (n Names) take(base string) takenName {
	t := takenName{base, base, n.next[base]}
	for i := max(t.next, 2); n.used[t.name]; i++ {
		t.name = fmt.Sprintf("%s_%d", base, i)
		n.next[base] = i + 1
	}
	n.used[t.name] = true
	return t
}

// Unname gives up the names of the plan's events.
func (b *Builder) Unname() {
	for _, t := range slices.Backward(b.taken) {
		delete(b.names.used, t.name)
		b.names.next[t.base] = t.next
	}
	b.taken = nil
}

// eventName returns a name that no other event of the run has. The suffix of a
// return event is the one that perf uses.
func (s *Side) eventName(suffix string) string {
	name := line.Identifier(s.fn.Spec.Func.Text)
	if s.At == dynevent.Return {
		suffix = "__return" + suffix
	}
	if nonce := s.fn.Target.Nonce; nonce != "" {
		suffix += "_" + nonce
	}
	const room = 4 // for a number
	t := s.names.take(name[:min(len(name), dynevent.MaxEventName-len(suffix)-room)] + suffix)
	s.taken = append(s.taken, t)
	return t.name
}

// existing makes the probe one event that the kernel has by itself: "SYSTEM/EVENT". A run can
// record it for one spec only, since it has one filter.
func (s *Side) existing() {
	p := s.probe
	p.Event = p.Existing()
	at, name := s.fn.Spec.Func.Span, s.fn.Spec.Func.Text
	if own, ok := s.fn.Target.Reserved[p.Event]; ok {
		s.errs.FailWith(at, source.Limit{Why: p.Event}, own.Instead, "tsnoop records %s itself, %s", name, own.For)
		return
	}
	if s.names.used[p.Event] {
		const msg = "%s is recorded for another spec already, with a filter of its own"
		s.errs.FailWith(at, source.Limit{Why: p.Event}, "put both into one spec", msg, name)
		return
	}
	s.taken = append(s.taken, s.names.take(p.Event))
}
