package dynevent

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// MostCPUs limits the CPUs that a probe is defined for: a hit costs that many times as
// much, and the filter has room for 4 KiB.
const MostCPUs = 64

// PerCPUOffsets is the kernel's table of what to add to the address of a variable to get
// the copy of a CPU (mm/percpu.c).
const PerCPUOffsets = "__per_cpu_offset"

// A CPU is one of the machine's.
type CPU struct {
	N      int
	Offset uint64 // entry in the kernel's table of offsets; 0 if not known or not needed
	Table  uint64 // address of that table; 0 if not known
}

// Lowered returns the fetcharg with a PerCPU or OwnCPU replaced by what the kernel can
// fetch: the copy is found through the table of offsets, or by its address if the
// variable's own does not fit the offset of a fetcharg.
func (a Arg) Lowered() Arg {
	switch b := a.Base; b.Kind {
	case OwnCPU:
		a.Base = Base{Kind: Immediate, N: int64(b.CPU.N)}
	case PerCPU:
		at := b.Addr + uint64(b.N)
		if !b.IsNear() {
			a.Base = Base{Kind: Memory, Name: fmt.Sprintf("0x%x", b.CPU.Offset+at)}
			break
		}
		a.Base = Base{Kind: Memory, Name: PerCPUOffsets, N: int64(8 * b.CPU.N), Addr: b.CPU.Table}
		a.Hops = slices.Concat([]Hop{{Offset: int64(at)}}, a.Hops)
	}
	return a
}

// IsNear reports whether the address of the variable fits the 32 bits of a fetcharg's
// offset. It does on x86, and not on arm64.
func (b Base) IsNear() bool {
	at := int64(b.Addr) + b.N
	return at >= math.MinInt32 && at <= math.MaxInt32
}

// Words returns the base as the user writes it.
func (b Base) Words() string {
	switch {
	case b.Kind != PerCPU:
		return b.String()
	case b.Each:
		return "this_cpu(" + b.Name + ")"
	}
	return fmt.Sprintf("per_cpu(%s, %d)", b.Name, b.CPU.N)
}

// Key returns a text that is the same for fetchargs that fetch the same value.
func (a Arg) Key() string {
	if a.Base.Each { // every definition fetches it for its own CPU
		return a.String() + " of each CPU"
	}
	return a.String()
}

// On returns the fetcharg, which differs from CPU to CPU, in the definition for a CPU.
func (a Arg) On(cpu CPU) Arg {
	if a.Base.Kind == Immediate {
		a.Base.N += int64(cpu.Offset - a.Base.CPU.Offset)
	}
	a.Base.CPU = cpu
	return a
}

// ListCPUs returns the numbers of CPUs as a list: "0-3, 8".
func ListCPUs(cpus []CPU) string {
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
