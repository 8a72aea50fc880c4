package plan

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
// the record was made for the CPU that it is on. That part does not choose among hits:
// one record of each passes it.
func (p *Probe) KernelFilter() string {
	if len(p.CPUs) == 0 {
		return p.Filter
	}
	own := slices.IndexFunc(p.Args, func(a dynevent.Arg) bool { return a.Base.Kind == dynevent.OwnCPU })
	filter := OfCPUs(p.Args[own].Name, p.CPUs)
	if p.Filter != "" {
		filter += " && " + p.Filter
	}
	return filter
}

// OfCPUs returns the part of a filter that keeps the record whose field holds the number
// of the CPU.
func OfCPUs(field string, cpus []dynevent.CPU) string {
	each := make([]string, len(cpus))
	for i, cpu := range cpus {
		each[i] = fmt.Sprintf("%s == %d && CPU == %d", field, cpu.N, cpu.N)
	}
	return "(" + strings.Join(each, " || ") + ")"
}
