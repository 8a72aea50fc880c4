package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// isPerCPU reports whether p is a pointer to a per-CPU variable.
func (p route) isPerCPU() bool { return value.IsPerCPU(p.set) || btf.IsPerCPU(p.typ) }

// isOfOne refuses to follow a per-CPU pointer. Without the offset of a CPU it leads
// to the copy of no CPU, and the memory there is something else. The kernel cannot
// add the offset: of OFFSET in +OFFSET(...) it keeps the low 32 bits (5.10 to 7.3).
func (r *resolver) isOfOne(p route, x spec.Expr) bool {
	if !p.isPerCPU() {
		return true
	}
	r.fail(x.Where(), "the pointer by itself can be shown; cast to a pointer, it is followed as if it were an address",
		"each CPU has its own of what %s points to, at an offset of its own", x)
	return false
}
