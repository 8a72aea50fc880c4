package fetchargs

import (
	"fmt"
	"maps"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/line"
)

// eventNames are the names of events that a run uses.
type eventNames struct {
	used map[string]bool
	next map[string]int // by name without a number, the first number that may be free
}

func newEventNames(used []string) eventNames {
	n := eventNames{map[string]bool{}, map[string]int{}}
	for _, name := range used {
		n.used[name] = true
	}
	return n
}

func (n eventNames) clone() eventNames { return eventNames{maps.Clone(n.used), maps.Clone(n.next)} }

// A takenName is a name that eventNames has given away, and what it takes to free it.
type takenName struct {
	name, base string
	next       int
}

// take returns a name that is not used: base, or base with a number, which may be the name
// of another function, too.
func (n eventNames) take(base string) takenName {
	t := takenName{base, base, n.next[base]}
	for i := max(t.next, 2); n.used[t.name]; i++ {
		t.name = fmt.Sprintf("%s_%d", base, i)
		n.next[base] = i + 1
	}
	n.used[t.name] = true
	return t
}

// free makes names free that were taken last.
func (n eventNames) free(names []takenName) {
	for i := len(names) - 1; i >= 0; i-- {
		delete(n.used, names[i].name)
		n.next[names[i].base] = names[i].next
	}
}

// eventName returns a name that no other event of the run has. The suffix of a
// return event is the one that perf uses.
func (r *resolver) eventName(side dynevent.Side, suffix string) string {
	name := line.Identifier(r.fn.Spec.Func.Text)
	if side == dynevent.Return {
		suffix = "__return" + suffix
	}
	if nonce := r.fn.Target.Nonce; nonce != "" {
		suffix += "_" + nonce
	}
	const room = 4 // for a number
	t := r.events.take(name[:min(len(name), dynevent.MaxEventName-len(suffix)-room)] + suffix)
	r.named = append(r.named, t)
	return t.name
}
