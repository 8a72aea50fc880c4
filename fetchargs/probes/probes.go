// Package probes makes the probes of a plan from the values that are wanted at the entry and at
// the return of a function, and from the conditions on them.
package probes

import (
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/readcheck"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A Builder makes the probes of one plan.
type Builder struct {
	Entry, Exit *Side
	Spareless   bool // a probe needs a spare for which there is no room

	fn    *find.Function
	enc   *encode.Encoder
	errs  *spec.Collector
	out   *plan.Plan
	names Names
	taken []takenName // by the probes of the plan
}

// New returns a Builder for the probes of out. order has the functions of the run in the order
// in which they are probed, names the events of the run. errs receives what the kernel would
// refuse.
func New(fn *find.Function, enc *encode.Encoder, out *plan.Plan, order []string, names Names, errs *spec.Collector) *Builder {
	b := &Builder{fn: fn, enc: enc, errs: errs, out: out, names: names}
	symbols, notes := fn.Places()
	out.Notes = notes
	b.Entry = b.side(symbols, dynevent.Entry, readcheck.NewCounter(fn, order, enc))
	b.Exit = b.side(symbols, dynevent.Return, nil)
	return b
}

// Finish adds the probes to the plan. It leaves out a side that nothing asked for.
func (b *Builder) Finish() {
	both := b.Entry.Used && b.Exit.Used
	if both {
		b.keepReturns()
	}
	var parts []*Side
	if b.Entry.Used || !b.Exit.Used {
		parts = append(parts, b.Entry.spread()...)
	}
	if b.Exit.Used {
		parts = append(parts, b.Exit.spread()...)
	}
	for _, s := range parts {
		b.out.Probes = append(b.out.Probes, s.assemble(both))
	}
	if len(b.errs.Errs) == 0 && len(parts) > plan.MaxProbes {
		b.errs.Fail(b.fn.Spec.Func.Span, "split the spec in two", "this is too much to show: it takes %d probes", len(parts))
	}
}

// keepReturns takes the filter from a return whose entry has one: in lines to be pasted,
// the return of another call, whose entry is not shown, would be taken for the one that is
// missing. Whoever reads the lines decides. In a trace no entry has a filter (see Push).
func (b *Builder) keepReturns() {
	if len(b.Entry.filters) > 0 && len(b.Exit.filters) > 0 {
		b.Exit.filters = nil
		b.out.Partial, b.out.Check = true, b.out.Asked
	}
}

// assemble completes the probe: it adds the values that tsnoop itself needs, lays out the
// line and checks the kernel's limits.
func (s *Side) assemble(both bool) *plan.Probe {
	p := s.probe
	if !p.Kind.Defined() {
		s.existing()
	} else if p.Event = s.eventName(""); s.fn.Target.Live {
		s.instrument(both)
	}
	s.ofEachCPU(both)
	p.Fields = s.Fields
	s.layout()
	if s.fn.Target.Comm != "" {
		p.OnlyComm = len(s.filters) == 0
		s.filters = append(s.filters, s.ofComm())
	}
	p.Filter = strings.Join(s.filters, " && ")
	p.MaxActive = s.fn.Target.MaxActive
	if err := s.refused(p); err != nil {
		s.errs.Add(err)
	}
	p.Spare = s.spare(both)
	return p
}

// instrument adds what tsnoop itself needs. Lines of text need the task's name on each side,
// since their own column may show an older one.
func (s *Side) instrument(both bool) {
	p, at := s.probe, s.fn.Spec.Func.Span
	own := p.Own(both)
	if own.Caller {
		caller, _ := dynevent.BaseNamed(s.fn.Target.Arch.Caller)
		p.Caller, _ = s.line.Add(dynevent.Arg{Base: caller, Type: dynevent.X64}, "caller", at)
	}
	if own.Stack {
		p.Stack, _ = s.line.Add(dynevent.Arg{Base: dynevent.Base{Kind: dynevent.StackPointer}, Type: dynevent.X64}, "stack", at)
	}
	s.readChecks.AddTrial(at)
	named := s.fn.Target.AsText || !p.Plan.NamesKnown || s.readChecks.HasTexts()
	switch {
	case !named && s.readChecks.ByStrings():
		s.line.Add(readcheck.Room, "room", at)
	case s.fn.Target.AsText || s.readChecks.ByStrings():
		p.Comm, _ = s.line.Add(p.Kind.Comm(), "comm", at)
		s.readChecks.EndTexts(p.Comm)
	case own.Comm && s.line.Has(p.Kind.Comm().Key()): // it is shown
		p.Comm, _ = s.line.Add(p.Kind.Comm(), "comm", at)
	case own.Comm:
		p.Comm, _ = s.line.Add(s.fn.Target.CommArg(p.Kind), "comm", at)
	}
}

// refused returns the error for what the kernel would refuse of a probe, or would drop at every
// hit, nil if it takes the probe.
func (b *Builder) refused(p *plan.Probe) *spec.Error {
	if len(p.Args) > dynevent.MaxArgs {
		return spec.Errorf(p.Args[dynevent.MaxArgs].Span, "split the spec in two",
			"too many values: the kernel takes %d in one probe, this needs %d", dynevent.MaxArgs, len(p.Args))
	}
	size := 0
	for _, a := range p.Args {
		if size += a.Size(); size > dynevent.MaxEventSize {
			return spec.Errorf(a.Span, "split the spec in two, or ask for elements instead of arrays",
				"the event is too big: the kernel keeps %d bytes of values", dynevent.MaxEventSize)
		}
	}
	if n := len(p.KernelFilter()); n > dynevent.MaxFilter {
		return spec.Errorf(b.fn.Spec.Func.Span, "ask for less in the condition",
			"the filter has %d characters, the kernel takes %d", n, dynevent.MaxFilter)
	}
	for _, line := range p.Definitions("tsnoop_1234567890") {
		if len(line) > dynevent.MaxLine {
			return spec.Errorf(b.fn.Spec.Func.Span, "split the spec in two",
				"the definition has %d characters, the kernel takes %d", len(line), dynevent.MaxLine)
		}
	}
	return nil
}
