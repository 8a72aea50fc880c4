package fetchargs

// A proven is a field of an entry that may be in user memory.
type proven struct {
	index int // in builder.fields
	encoded
	want
}

// again has the return probe fetch once more what may not have been in user
// memory when the function was entered: by its end the kernel has often brought
// it there. A return probe's $argN is what it was at entry (since 6.9), and what
// it points to is what is there at return. It is shown in place of the fault and
// marked; conditions do not see it, for they are about the entry.
func (r *resolver) again() {
	for _, p := range r.entry.proven {
		f := &r.entry.fields[p.index]
		if f.Hidden || !p.fitsAsArg(r.target.Features.MaxArg()) || len(r.exit.args) > maxArgs/2 {
			continue
		}
		before := len(r.errs)
		at, ok := r.exit.add(p.encoded, p.want)
		if r.errs = r.errs[:before]; !ok {
			continue
		}
		field := at.field()
		field.Hidden, field.Label, field.Again = true, field.Label+" at return", -1
		r.exit.exprs[at.index] = ""
		f.Again = at.index + 1
	}
}

// fitsAsArg reports whether all that is fetched for p starts at $argN, and is not
// so long that it would have to start at a register: at return, that holds
// something else.
func (p proven) fitsAsArg(limit int) bool {
	rest := len(Hop{Offset: beyond}.wrap("")) + len(":ustring")
	return p.route.base.Kind == ArgN && len(p.route.fetcharg().String())+rest < limit
}
