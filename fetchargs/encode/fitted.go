package encode

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// TooLong returns the error that a fetcharg is too long.
func TooLong(at spec.Span, text string, limit int) *spec.Error {
	return spec.Errorf(at, fmt.Sprintf("fetch less deep: this is %d characters (%s)", len(text), text),
		"the chain is too long: the kernel takes %d characters in one fetcharg", limit)
}

// TooDeep returns the error that a fetcharg follows more pointers than the kernel takes, or
// nil.
func (r *Encoder) TooDeep(at spec.Span, a *dynevent.Arg) *spec.Error {
	most := r.fn.Target.Features.Hops
	if most == 0 || len(a.Hops) <= most {
		return nil
	}
	return spec.Errorf(at, fmt.Sprintf("fetch less deep: this follows %d", len(a.Hops)), "the chain is too long: this kernel follows %d pointers in one fetcharg", most)
}

// Fitted returns the fetcharg, its text, and the limit on its length. A fetcharg
// that is too long starts at the register instead of $argN, because the register's
// name is shorter.
func (r *Encoder) Fitted(a dynevent.Arg) (_ dynevent.Arg, text string, limit int) {
	// Drop the "u" of an array in user memory: the kernel refuses it there ("String
	// accepts only memory argument"). Without it, the kernel reads user memory
	// where addresses tell user memory from its own.
	if last := len(a.Hops) - 1; a.Count > 0 && last >= 0 && a.Hops[last].User && !r.fn.Target.Arch.OneSpace {
		a.Hops = slices.Clone(a.Hops)
		a.Hops[last].User = false
	}
	text, limit = a.String(), r.fn.Target.Features.MaxArg()
	if len(text) <= limit {
		return a, text, limit
	}
	if regs := r.fn.Target.Arch.Regs; a.Base.Kind == dynevent.ArgN && len(a.Hops) > 0 && a.Base.N <= int64(len(regs)) {
		a.Base = dynevent.Base{Kind: dynevent.Register, Name: regs[a.Base.N-1]}
		text = a.String()
	}
	return a, text, r.fn.Target.MaxArg(len(text))
}
