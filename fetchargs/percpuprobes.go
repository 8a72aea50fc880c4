package fetchargs

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs/dynevent"
)

// A variable per CPU has a copy at another address for each CPU, and a fetcharg can only
// start from a given address. So a probe that reads the copy of the running CPU has one
// definition for each CPU, all of the same event. Every hit makes a record by each of
// them, and the filter keeps the record of the definition for the CPU of the hit.

// MostCPUs limits the CPUs that a probe is defined for: a hit costs that many times as
// much, and the filter has room for 4 KiB.
const MostCPUs = 64

// perCPUOffsets is the kernel's table of what to add to the address of a variable to get
// the copy of a CPU (mm/percpu.c).
const perCPUOffsets = "__per_cpu_offset"

// A CPU is one of the machine's.
type CPU struct {
	N      int
	Offset uint64 // entry in the kernel's table of offsets; 0 if not known or not needed
	Table  uint64 // address of that table; 0 if not known
}

// CPUs are the CPUs of a machine.
type CPUs struct {
	Numbers []int // CPUs that probes are defined for, in ascending order
	Later   []int // CPUs that are off and left out because there are too many
}

// lowered returns the fetcharg with a PerCPU or OwnCPU replaced by what the kernel can
// fetch: the copy is found through the table of offsets, or by its address if the
// variable's own does not fit the offset of a fetcharg.
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

// isNear reports whether the address of the variable fits the 32 bits of a fetcharg's
// offset. It does on x86, and not on arm64.
func (b Base) isNear() bool {
	at := int64(b.Addr) + b.N
	return at >= math.MinInt32 && at <= math.MaxInt32
}

// words returns the base as the user writes it.
func (b Base) words() string {
	switch {
	case b.Kind != PerCPU:
		return b.String()
	case b.Each:
		return "this_cpu(" + b.Name + ")"
	}
	return fmt.Sprintf("per_cpu(%s, %d)", b.Name, b.CPU.N)
}

// eachCPU distinguishes in keys what every definition fetches for its own CPU.
const eachCPU = " of each CPU"

// key returns a text that is the same for fetchargs that fetch the same value.
func (a Arg) key() string {
	if a.Base.Each {
		return a.String() + eachCPU
	}
	return a.String()
}

// on returns the fetcharg, which differs from CPU to CPU, in the definition for a CPU.
func (a Arg) on(cpu CPU) Arg {
	if a.Base.Kind == Immediate {
		a.Base.N += int64(cpu.Offset - a.Base.CPU.Offset)
	}
	a.Base.CPU = cpu
	return a
}

// Times returns how many records the kernel makes of each hit.
func (p *Probe) Times() int { return max(1, len(p.CPUs)) }

// KernelFilter returns the whole filter of the event: Filter, and if there are CPUs, that
// the record was made for the CPU that it is on. That part is no choice among hits: one
// record of each passes it.
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

// ofCPUs returns the part of a filter that keeps the record whose field holds the number
// of the CPU.
func ofCPUs(field string, cpus []CPU) string {
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
	return slices.ContainsFunc(b.args, func(a Arg) bool { return a.Base.Each })
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
		cpus = slices.DeleteFunc(slices.Clone(cpus), func(c CPU) bool { return !slices.Contains(only, c.N) })
	}
	if len(cpus) > MostCPUs {
		hint := fmt.Sprintf("--cpu LIST takes up to %d of them", MostCPUs)
		if both || b.r.target.Pair {
			hint += ", where no return is asked for"
		}
		b.r.fail(at, hint, "this machine has %d CPUs: per-CPU values are fetched for up to %d", len(cpus), MostCPUs)
		return
	}
	if len(cpus) == 0 { // of those that are wanted there is none, which is told elsewhere
		cpus = b.r.cpus[:1]
	}
	last := cpus[len(cpus)-1]
	for i, a := range b.args {
		if a.Base.Each {
			b.args[i] = a.on(last) // its number is the longest
		}
	}
	i, _ := b.arg(Arg{Base: Base{Kind: OwnCPU, CPU: last, Each: true}, Type: numberType("u", 2)}, ownCPU, at)
	b.probe.CPUs = cpus
	b.r.out.Details = append(b.r.out.Details, fmt.Sprintf("per-CPU values are fetched once for each of the CPUs %s; the filter keeps the event of the CPU that runs", listed(cpus)))
	if n := len(ofCPUs(b.args[i].Name, cpus)) + len(strings.Join(b.filters, " && ")); n > dynevent.MaxFilter {
		b.r.fail(at, "ask for less in the condition", "for %d CPUs the filter has %d characters, of which the kernel takes %d", len(cpus), n, dynevent.MaxFilter)
	}
}

// listed returns the numbers of CPUs as a list: "0-3, 8".
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
