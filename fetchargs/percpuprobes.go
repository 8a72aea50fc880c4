package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// A variable per CPU has a copy at another address for each CPU, and a fetcharg can only
// start from a given address. So a probe that reads the copy of the running CPU has one
// definition for each CPU, all of the same event. Every hit makes a record by each of
// them, and the filter keeps the record of the definition for the CPU of the hit.

// Times returns how many records the kernel makes of each hit.
func (p *Probe) Times() int { return max(1, len(p.CPUs)) }

// KernelFilter returns the whole filter of the event: Filter, and if there are CPUs, that
// the record was made for the CPU that it is on. That part is no choice among hits: one
// record of each passes it.
func (p *Probe) KernelFilter() string {
	if len(p.CPUs) == 0 {
		return p.Filter
	}
	own := slices.IndexFunc(p.Args, func(a dynevent.Arg) bool { return a.Base.Kind == dynevent.OwnCPU })
	filter := ofCPUs(p.Args[own].Name, p.CPUs)
	if p.Filter != "" {
		filter += " && " + p.Filter
	}
	return filter
}

// ofCPUs returns the part of a filter that keeps the record whose field holds the number
// of the CPU.
func ofCPUs(field string, cpus []dynevent.CPU) string {
	each := make([]string, len(cpus))
	for i, cpu := range cpus {
		each[i] = fmt.Sprintf("%s == %d && CPU == %d", field, cpu.N, cpu.N)
	}
	return "(" + strings.Join(each, " || ") + ")"
}

// ownCPU is the name of the field that holds the CPU that a record was made for.
const ownCPU = "on_cpu"

// isOfEachCPU reports whether a fetcharg differs from CPU to CPU.
func (b *builder) isOfEachCPU() bool {
	return slices.ContainsFunc(b.args, func(a dynevent.Arg) bool { return a.Base.Each })
}

// roomOfCPUs returns how many bytes of the filter the CPUs take.
func (b *builder) roomOfCPUs() int {
	if !b.isOfEachCPU() {
		return 0
	}
	return len(ofCPUs(ownCPU, b.r.cpus) + " && ")
}

// ofEachCPU makes one definition for each CPU if a fetcharg differs from CPU to CPU.
func (b *builder) ofEachCPU(both bool) {
	if !b.isOfEachCPU() {
		return
	}
	at, cpus := b.r.spec.Func.Span, b.r.cpus
	if only := b.r.target.OnlyCPUs; len(only) > 0 && !both && !b.r.target.Pair { // else all entries are recorded
		cpus = slices.DeleteFunc(slices.Clone(cpus), func(c dynevent.CPU) bool { return !slices.Contains(only, c.N) })
	}
	if len(cpus) > dynevent.MostCPUs {
		hint := fmt.Sprintf("--cpu LIST takes up to %d of them", dynevent.MostCPUs)
		if both || b.r.target.Pair {
			hint += ", where no return is asked for"
		}
		b.r.Fail(at, hint, "this machine has %d CPUs: per-CPU values are fetched for up to %d", len(cpus), dynevent.MostCPUs)
		return
	}
	if len(cpus) == 0 { // of those that are wanted there is none, which is told elsewhere
		cpus = b.r.cpus[:1]
	}
	last := cpus[len(cpus)-1]
	for i, a := range b.args {
		if a.Base.Each {
			b.args[i] = a.On(last) // its number is the longest
		}
	}
	i, _ := b.arg(dynevent.Arg{Base: dynevent.Base{Kind: dynevent.OwnCPU, CPU: last, Each: true}, Type: dynevent.Number("u", 2)}, ownCPU, at)
	b.probe.CPUs = cpus
	b.r.out.Details = append(b.r.out.Details, fmt.Sprintf("per-CPU values are fetched once for each of the CPUs %s; the filter keeps the event of the CPU that runs", dynevent.ListCPUs(cpus)))
	if n := len(ofCPUs(b.args[i].Name, cpus)) + len(strings.Join(b.filters, " && ")); n > dynevent.MaxFilter {
		b.r.Fail(at, "ask for less in the condition", "for %d CPUs the filter has %d characters, of which the kernel takes %d", len(cpus), n, dynevent.MaxFilter)
	}
}
