package fetchargs

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// eventName returns a name that no other event of the run has. The suffix of a
// return event is the one that perf uses.
func (r *resolver) eventName(side dynevent.Side, suffix string) string {
	name := identifier(r.fn.Spec.Func.Text)
	if side == dynevent.Return {
		suffix = "__return" + suffix
	}
	if nonce := r.fn.Target.Nonce; nonce != "" {
		suffix += "_" + nonce
	}
	const room = 4 // for a number
	name = name[:min(len(name), dynevent.MaxEventName-len(suffix)-room)] + suffix
	unique := name
	for n := 2; r.events[unique]; n++ { // the name with a number may be a function's, too
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	r.events[unique] = true
	r.named = append(r.named, unique)
	return unique
}
