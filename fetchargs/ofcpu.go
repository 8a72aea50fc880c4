package fetchargs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/dynevent"
)

// What each CPU has its own of lies at an address of that CPU's, and a fetcharg can only
// start from one that is given. So a probe that reads it has a definition for each CPU
// that may come by, of one event: each of them makes a record of every hit, and the
// filter keeps that of the definition made for the CPU that the hit is on.

// mostEachCPU bounds the CPUs that one probe is defined for: each hit costs so many
// times as much, and the filter has 4 KiB.
const mostEachCPU = 64

// perCPUOffsets is the kernel's table of where each CPU has its own variables
// (mm/percpu.c).
const perCPUOffsets = "__per_cpu_offset"

// A CPU is one of the machine's.
type CPU struct {
	N int
	// Offset is how far from what its variables are made from it has its own; 0 if that is
	// not known, or not needed.
	Offset uint64
	Table  uint64 // the address of the kernel's table of these, 0 if that is not known
}

// CPUs are those of a machine that probes are for.
type CPUs struct {
	Numbers []int // in their order
	Later   []int // which are off, and too many to be among them
}

// lowered is the fetcharg with what is a CPU's as the kernel knows it: read by way of
// the table of offsets, or, where it lies too far from there for a fetcharg's offset, by
// its address.
func (a Arg) lowered() Arg {
	switch b := a.Base; b.Kind {
	case OwnCPU:
		a.Base = Base{Kind: Immediate, N: int64(b.CPU.N)}
	case PerCPU:
		at := b.Addr + uint64(b.N)
		if !b.isNear() {
			a.Base = Base{Kind: Memory, Name: fmt.Sprintf("0x%x", b.CPU.Offset+at)}
			break
		}
		a.Base = Base{Kind: Memory, Name: perCPUOffsets, N: int64(8 * b.CPU.N), Addr: b.CPU.Table}
		a.Hops = slices.Concat([]Hop{{Offset: int64(at)}}, a.Hops)
	}
	return a
}

// isNear tells whether the variable is one to which an offset of 32 bits leads from
// where the CPU's begin: on x86 all are, elsewhere none.
func (b Base) isNear() bool {
	at := int64(b.Addr) + b.N
	return at >= math.MinInt32 && at <= math.MaxInt32
}

// words are what the user calls a variable.
func (b Base) words() string {
	switch {
	case b.Kind != PerCPU:
		return b.String()
	case b.Each:
		return "this_cpu(" + b.Name + ")"
	}
	return fmt.Sprintf("per_cpu(%s, %d)", b.Name, b.CPU.N)
}

// eachCPU keeps what is fetched of each CPU apart from what is of one.
const eachCPU = " of each CPU"

// key is the same for fetchargs that fetch the same.
func (a Arg) key() string {
	if a.Base.Each {
		return a.String() + eachCPU
	}
	return a.String()
}

// on is the fetcharg in the definition for a CPU.
func (a Arg) on(cpu CPU) Arg {
	if b := &a.Base; b.Each {
		if b.Kind == Immediate {
			b.N += int64(cpu.Offset - b.CPU.Offset)
		}
		b.CPU = cpu
	}
	return a
}

// argsOfCPUs are the args of each definition for a symbol.
func (p *Probe) argsOfCPUs() [][]Arg {
	if len(p.CPUs) == 0 {
		return [][]Arg{p.Args}
	}
	all := make([][]Arg, len(p.CPUs))
	for i, cpu := range p.CPUs {
		for _, a := range p.Args {
			all[i] = append(all[i], a.on(cpu))
		}
	}
	return all
}

// Times is how many records the kernel makes of each hit.
func (p *Probe) Times() int { return max(1, len(p.CPUs)) }

// KernelFilter is the filter of the event: the conditions, and that the CPU is the one
// that the record was made for. Other than Filter it is not what the user asks for: one
// record of each hit passes the latter part.
func (p *Probe) KernelFilter() string {
	if len(p.CPUs) == 0 {
		return p.Filter
	}
	own := slices.IndexFunc(p.Args, func(a Arg) bool { return a.Base.Kind == OwnCPU })
	filter := ofCPUs(p.Args[own].Name, p.CPUs)
	if p.Filter != "" {
		filter += " && " + p.Filter
	}
	return filter
}

// ofCPUs is the part of a filter that keeps of each hit the record whose field has the
// number of the CPU.
func ofCPUs(field string, cpus []CPU) string {
	each := make([]string, len(cpus))
	for i, cpu := range cpus {
		each[i] = fmt.Sprintf("%s == %d && CPU == %d", field, cpu.N, cpu.N)
	}
	return "(" + strings.Join(each, " || ") + ")"
}

// ownCPU is the name of the field with the CPU that a record was made for.
const ownCPU = "on_cpu"

// isOfEachCPU tells whether something is fetched that each CPU has its own of.
func (b *builder) isOfEachCPU() bool {
	return slices.ContainsFunc(b.args, func(a Arg) bool { return a.Base.Each })
}

// roomOfCPUs is what the filter needs for the CPUs, in bytes.
func (b *builder) roomOfCPUs() int {
	if !b.isOfEachCPU() {
		return 0
	}
	return len(ofCPUs(ownCPU, b.r.cpus) + " && ")
}

// ofEachCPU has the probe defined for each CPU, if it fetches what is a CPU's.
func (b *builder) ofEachCPU(both bool) {
	if !b.isOfEachCPU() {
		return
	}
	at, cpus := b.r.spec.Func.Span, b.r.cpus
	if only := b.r.target.OnlyCPUs; len(only) > 0 && !both && !b.r.target.Pair { // else all entries are recorded
		cpus = slices.DeleteFunc(slices.Clone(cpus), func(c CPU) bool { return !slices.Contains(only, c.N) })
	}
	if len(cpus) > mostEachCPU {
		hint := fmt.Sprintf("--cpu LIST takes up to %d of them", mostEachCPU)
		if both || b.r.target.Pair {
			hint += ", where no return is asked for"
		}
		b.r.fail(at, hint, "this machine has %d CPUs: what each has its own of is fetched for up to %d", len(cpus), mostEachCPU)
		return
	}
	if len(cpus) == 0 { // of those that are wanted there is none, which is told elsewhere
		cpus = b.r.cpus[:1]
	}
	last := cpus[len(cpus)-1]
	for i := range b.args {
		b.args[i] = b.args[i].on(last) // its number is the longest
	}
	i, _ := b.arg(Arg{Base: Base{Kind: OwnCPU, CPU: last, Each: true}, Type: numberType("u", 2)}, ownCPU, at)
	b.probe.CPUs = cpus
	b.r.out.Details = append(b.r.out.Details, fmt.Sprintf("what a CPU has its own of is fetched once for each of the CPUs %s, and the filter keeps that of the CPU that the call is on", listed(cpus)))
	if n := len(ofCPUs(b.args[i].Name, cpus)) + len(strings.Join(b.filters, " && ")); n > dynevent.MaxFilter {
		b.r.fail(at, "ask for less in the condition", "for %d CPUs the filter has %d characters, of which the kernel takes %d", len(cpus), n, dynevent.MaxFilter)
	}
}

// listed are the numbers of CPUs: "0-3, 8".
func listed(cpus []CPU) string {
	var text []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1].N == cpus[j].N+1 {
			j++
		}
		one := fmt.Sprint(cpus[i].N)
		if j > i {
			one += fmt.Sprintf("-%d", cpus[j].N)
		}
		text, i = append(text, one), j+1
	}
	return strings.Join(text, ", ")
}
