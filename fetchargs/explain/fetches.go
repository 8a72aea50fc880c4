package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// writeFetches writes how many fetchargs the probe has, how many of these only show whether
// others can be believed, and what a trace adds.
func writeFetches(w io.Writer, p *plan.Probe) {
	values, checks := 0, 0
	for i := range p.Args {
		switch {
		case i == p.Comm || i == p.Caller || i == p.Stack:
		case onlyChecks(p, i):
			checks++
		default:
			values++
		}
	}
	fmt.Fprintf(w, "    fetches %s", plural.Of(values, "value"))
	if checks > 0 {
		fmt.Fprintf(w, ", and %d more to check them", checks)
	}
	own := p.Own(p.Plan.Paired())
	var added []string
	for _, a := range []struct {
		is   bool
		what string
	}{{own.Caller, "the caller"}, {own.Stack, "the stack pointer"}, {own.Comm, "the task's name"}, {unproven(p), "what shows whether user memory was there"}} {
		if a.is {
			added = append(added, a.what)
		}
	}
	if len(added) > 0 {
		fmt.Fprintf(w, "; a trace adds %s", strings.Join(added, ", "))
	}
	fmt.Fprintln(w)
	switch {
	case own.Comm || slices.ContainsFunc(p.Plan.Probes, reachesUser): // or it may be needed for checks
	case p.Side == dynevent.Return && p.Plan.Paired():
		fmt.Fprintln(w, "    the task's name is that of the entry")
	default:
		fmt.Fprintln(w, "    the task's name is known from /proc when the trace begins, and then from events of tasks that are started or renamed")
	}
}

// unproven reports whether p is not for a trace, which would also check that user memory was
// there.
func unproven(p *plan.Probe) bool {
	return reachesUser(p) && !slices.ContainsFunc(p.Plan.Probes, func(p *plan.Probe) bool { return p.Comm >= 0 })
}

// reachesUser reports whether a value may be in user memory.
func reachesUser(p *plan.Probe) bool {
	return slices.ContainsFunc(p.Fields, func(f value.Field) bool {
		return slices.ContainsFunc(f.PointerChecks, func(g value.PointerCheck) bool { return g.Space != value.KernelSpace })
	})
}

// onlyChecks reports whether an arg only shows whether others can be believed.
func onlyChecks(p *plan.Probe, arg int) bool {
	is := false
	for i := range p.Fields {
		f := p.Fields[i]
		checks := value.Field{Encoding: value.Nothing, PointerChecks: f.PointerChecks}
		if f.Dump != nil {
			checks.Dump = &value.Extent{Windows: f.Dump.Windows}
		}
		checks.EachArg(func(a *int) { is = is || *a == arg })
		f.PointerChecks, f.Dump = nil, nil
		shown := false
		f.EachArg(func(a *int) { shown = shown || *a == arg })
		if shown {
			return false
		}
	}
	return is
}
