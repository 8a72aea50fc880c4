package fetchargs

import (
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/filter"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// assemble makes the probes of the plan. It drops the side that nothing asked for.
func (r *resolver) assemble() *plan.Plan {
	p := r.out
	if r.fn.Target.Live && r.fn.Target.Features.ReturnArgs && !r.fn.Absent && r.entry.Used && r.exit.Used {
		r.again()
	}
	if r.fn.Target.Pair && r.fn.Source.Returns() {
		r.pair()
	}
	r.bringIn()
	both := r.entry.Used && r.exit.Used
	if both {
		r.keepReturns()
	}
	var parts []*builder
	if r.entry.Used || !r.exit.Used {
		parts = append(parts, r.entry.spread()...)
	}
	if r.exit.Used {
		parts = append(parts, r.exit.spread()...)
	}
	for _, b := range parts {
		p.Probes = append(p.Probes, b.assemble(both))
	}
	if len(r.Errs) > 0 {
		return nil
	}
	if len(parts) > plan.MaxProbes {
		r.Fail(r.fn.Spec.Func.Span, "split the spec in two", "this is too much to show: it takes %d probes", len(parts))
		return nil
	}
	if len(parts) > 1 {
		if r.fatal = p.SameFilters(); r.fatal != nil {
			return nil
		}
	}
	return p
}

// keepReturns takes the filter from a return whose entry has one: in lines to be pasted,
// the return of another call, whose entry is not shown, would be taken for the one that is
// missing. Whoever reads the lines decides. In a trace no entry has a filter (see push).
func (r *resolver) keepReturns() {
	if len(r.entry.filters) > 0 && len(r.exit.filters) > 0 {
		r.exit.filters = nil
		r.out.Partial, r.out.Check = true, r.out.Asked
	}
}

// pair adds the side that nothing asked for, with the return value.
func (r *resolver) pair() {
	r.entry.Used, r.exit.Used = true, true
	for _, f := range r.exit.Fields {
		if f.Label == "return" {
			return
		}
	}
	if !btf.IsVoid(r.fn.Proto.Return) {
		r.show(cond.Want{X: &spec.Ident{Name: spec.Name{Text: "return", Span: r.fn.Spec.Func.Span}}, Hidden: true})
	}
}

// assemble completes the probe: it adds the values that tsnoop itself needs, lays out the
// line and checks the kernel's limits.
func (b *builder) assemble(both bool) *plan.Probe {
	p := b.probe
	p.Event = b.r.eventName(p.Side, "")
	if !p.Kind.Defined() {
		b.existing()
	} else if b.r.fn.Target.Live {
		b.instrument(both)
	}
	b.ofEachCPU(both)
	p.Fields = b.Fields
	b.layout()
	if glob := b.r.fn.Target.Comm; glob != "" {
		p.OnlyComm = len(b.filters) == 0
		b.filters = append(b.filters, filter.Comm(glob, !b.r.fn.Target.Live))
	}
	p.Filter = strings.Join(b.filters, " && ")
	p.MaxActive = b.r.fn.Target.MaxActive
	b.check()
	p.Spare = b.spare(both)
	return p
}

// instrument adds the caller, the stack pointer if returns are paired with entries,
// and the task's name.
func (b *builder) instrument(both bool) {
	p, at := b.probe, b.r.fn.Spec.Func.Span
	if p.Side == dynevent.Entry && p.Part == 0 && p.Kind.AtFunction() {
		caller, _ := dynevent.BaseNamed(b.r.fn.Target.Arch.Caller)
		p.Caller, _ = b.line.Add(dynevent.Arg{Base: caller, Type: dynevent.X64}, "caller", at)
	}
	if both {
		p.Stack, _ = b.line.Add(dynevent.Arg{Base: dynevent.Base{Kind: dynevent.StackPointer}, Type: dynevent.X64}, "stack", at)
	}
	b.prover.AddTrial(at)
	p.Comm, _ = b.line.Add(p.Kind.Comm(), "comm", at)
	b.prover.EndTexts(p.Comm)
}

// check reports what the kernel would refuse, or would drop at every hit.
func (b *builder) check() {
	p, r := b.probe, b.r
	if len(p.Args) > dynevent.MaxArgs {
		r.Fail(p.Args[dynevent.MaxArgs].Span, "split the spec in two",
			"too many values: the kernel takes %d in one probe, this needs %d", dynevent.MaxArgs, len(p.Args))
		return
	}
	size := 0
	for _, a := range p.Args {
		if size += a.Size(); size > dynevent.MaxEventSize {
			r.Fail(a.Span, "split the spec in two, or ask for elements instead of arrays",
				"the event is too big: the kernel keeps %d bytes of values", dynevent.MaxEventSize)
			return
		}
	}
	if line := p.Definitions("tsnoop_1234567890")[0]; len(line) > dynevent.MaxLine {
		r.Fail(r.fn.Spec.Func.Span, "split the spec in two",
			"the definition has %d characters, the kernel takes %d", len(line), dynevent.MaxLine)
	}
}
