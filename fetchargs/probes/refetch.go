package probes

import (
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/readcheck"
)

// A proven is a field of the entry probe that may be in user memory.
type proven struct {
	index int // in Side.Fields
	encode.Encoded
	cond.Want
}

// Refetch makes the return probe fetch once more the values that may have been in
// user memory, but not paged in, when the function was entered: by the time it
// returns, the kernel has often paged them in. In a return probe $argN still has
// its value from entry (since 6.9), but the memory it points to is read at return.
// Such a value is shown, marked, in place of the fault. Conditions do not see it,
// because they are about the entry.
func (b *Builder) Refetch() {
	if !b.fn.Target.Live || !b.fn.Target.Features.ReturnArgs || b.fn.Absent || !b.Entry.Used || !b.Exit.Used {
		return
	}
	for _, p := range b.Entry.proven {
		f := &b.Entry.Fields[p.index]
		if f.Hidden || !p.fitsAsArg(b.fn.Target.Features.MaxArg()) || len(b.Exit.line.Args) > dynevent.MaxArgs/2 {
			continue
		}
		before := len(b.errs.Errs)
		at, ok := b.Exit.Add(p.Encoded, p.Want)
		if b.errs.Errs = b.errs.Errs[:before]; !ok {
			continue
		}
		field := at.Field()
		field.Hidden, field.Label, field.Expr, field.Refetched = true, field.Label+" at return", "", -1
		b.Exit.Exprs[at.Index] = ""
		f.Refetched = at.Index + 1
	}
}

// fitsAsArg reports whether everything that is fetched for p starts at $argN and is
// short enough not to be rewritten to start at a register: at return, the register
// holds something else.
func (p proven) fitsAsArg(limit int) bool {
	rest := len(dynevent.Hop{Offset: readcheck.Beyond}.Wrap("")) + len(":ustring")
	return p.Route.Base.Kind == dynevent.ArgN && len(p.Route.Arg().String())+rest < limit
}
