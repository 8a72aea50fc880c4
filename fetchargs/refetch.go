package fetchargs

import (
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/prove"
)

// A proven is a field of the entry probe that may be in user memory.
type proven struct {
	index int // in builder.fields
	encode.Encoded
	cond.Want
}

// again makes the return probe fetch once more the values that may have been in
// user memory, but not paged in, when the function was entered: by the time it
// returns, the kernel has often paged them in. In a return probe $argN still has
// its value from entry (since 6.9), but the memory it points to is read at return.
// Such a value is shown, marked, in place of the fault. Conditions do not see it,
// because they are about the entry.
func (r *resolver) again() {
	for _, p := range r.entry.proven {
		f := &r.entry.Fields[p.index]
		if f.Hidden || !p.fitsAsArg(r.fn.Target.Features.MaxArg()) || len(r.exit.line.Args) > dynevent.MaxArgs/2 {
			continue
		}
		before := len(r.Errs)
		at, ok := r.exit.add(p.Encoded, p.Want)
		if r.Errs = r.Errs[:before]; !ok {
			continue
		}
		field := at.Field()
		field.Hidden, field.Label, field.Expr, field.Again = true, field.Label+" at return", "", -1
		r.exit.Exprs[at.Index] = ""
		f.Again = at.Index + 1
	}
}

// fitsAsArg reports whether everything that is fetched for p starts at $argN and is
// short enough not to be rewritten to start at a register: at return, the register
// holds something else.
func (p proven) fitsAsArg(limit int) bool {
	rest := len(dynevent.Hop{Offset: prove.Beyond}.Wrap("")) + len(":ustring")
	return p.Route.Base.Kind == dynevent.ArgN && len(p.Route.Arg().String())+rest < limit
}
