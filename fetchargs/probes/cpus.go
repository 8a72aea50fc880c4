package probes

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// ownCPU is the name of the field that holds the CPU that a record was made for.
const ownCPU = "on_cpu"

// isOfEachCPU reports whether a fetcharg differs from CPU to CPU.
func (s *Side) isOfEachCPU() bool {
	return slices.ContainsFunc(s.line.Args, func(a dynevent.Arg) bool { return a.Base.Each })
}

// ofEachCPU makes one definition for each CPU if a fetcharg differs from CPU to CPU.
func (s *Side) ofEachCPU(both bool) {
	if !s.isOfEachCPU() {
		return
	}
	at, cpus := s.fn.Spec.Func.Span, s.fn.Target.CPUs.Each
	if only := s.fn.Target.OnlyCPUs; len(only) > 0 && !both && !s.fn.Target.Pair { // else all entries are recorded
		cpus = slices.DeleteFunc(slices.Clone(cpus), func(c dynevent.CPU) bool { return !slices.Contains(only, c.N) })
	}
	if len(cpus) > dynevent.MostCPUs {
		hint := fmt.Sprintf("choose up to %d of them with --cpu LIST", dynevent.MostCPUs)
		if both || s.fn.Target.Pair {
			hint += ", and leave out the return"
		}
		s.errs.Fail(at, hint, "this host has %d CPUs: per-CPU values are fetched for up to %d", len(cpus), dynevent.MostCPUs)
		return
	}
	if len(cpus) == 0 { // there is none of those that are wanted, which is reported elsewhere
		cpus = s.fn.Target.CPUs.Each[:1]
	}
	last := cpus[len(cpus)-1]
	for i, a := range s.line.Args {
		if a.Base.Each {
			s.line.Args[i] = a.On(last) // its number is the longest
		}
	}
	s.line.Add(dynevent.Arg{Base: dynevent.Base{Kind: dynevent.OwnCPU, CPU: last, Each: true}, Type: dynevent.Number("u", 2)}, ownCPU, at)
	s.probe.CPUs = cpus
	s.out.Details = append(s.out.Details, fmt.Sprintf("per-CPU values are fetched once for each of the CPUs %s; the filter keeps the event of the CPU that runs", dynevent.ListCPUs(cpus)))
}
