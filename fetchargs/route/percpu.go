package route

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// IsOfOne refuses to follow a per-CPU pointer. Without the offset of a CPU it leads
// to the copy of no CPU, and the memory there is something else. The kernel cannot
// add the offset: of OFFSET in +OFFSET(...) it keeps the low 32 bits (5.10 to 7.3).
func (r *Walker) IsOfOne(p Route, x spec.Expr) bool {
	if !p.IsPerCPU() {
		return true
	}
	r.fn.Fail(x.Where(), "the pointer by itself can be shown; cast to a pointer, it is followed as if it were an address",
		"each CPU has its own of what %s points to, at an offset of its own", x)
	return false
}

// currentOfCPU returns the route to the running task on kernels without $current: where
// the kernel itself takes it from, which is a variable per CPU.
func (r *Walker) currentOfCPU(x *spec.Builtin) (Route, bool) {
	t, ok := r.TypeNamed(spec.Name{Text: "struct task_struct", Span: x.Span})
	if !ok {
		return Route{}, false
	}
	for _, name := range r.fn.Target.Arch.Current {
		name, member, in := strings.Cut(name, ".")
		if len(r.fn.Target.Places[name].Addrs) == 0 {
			continue
		}
		p, ok := r.perCPU(spec.Name{Text: name, Span: x.Span}, spec.ThisCPU)
		if ok && in {
			if p, ok = r.Inside(p, member); !ok {
				continue
			}
		}
		p.Type = &btf.Pointer{Target: t}
		return p, ok
	}
	r.fn.Fail(x.Span, "take it from what a parameter points to; the task's name is $comm",
		"this kernel cannot fetch $current, which came with 7.3, and has none of %s", strings.Join(r.fn.Target.Arch.Current, ", "))
	return Route{}, false
}

// perCPU returns the route to the copy of a variable that a CPU has, or with spec.ThisCPU
// the CPU that the function runs on.
func (r *Walker) perCPU(name spec.Name, cpu int) (Route, bool) {
	if r.fn.Target.CPUs == nil || r.fn.Target.Places == nil {
		r.fn.Fail(name.Span, "run it there", "the address of %s on each CPU is known only on the machine itself", name.Text)
		return Route{}, false
	}
	typ, _ := r.fn.Target.Variable(name.Text)
	place, ok := r.placeOf(name)
	if !ok {
		return Route{}, false
	}
	switch {
	case place.Hidden:
		r.fn.Fail(name.Span, "be root, and with kernel.kptr_restrict=2: sysctl kernel.kptr_restrict=1", "the address of %s is hidden from you", name.Text)
		return Route{}, false
	case !place.PerCPU && place.Module:
		r.fn.Fail(name.Span, "", "%s is in a module: its address on each CPU is not known", name.Text)
		return Route{}, false
	case !place.PerCPU:
		r.fn.Fail(name.Span, "all CPUs have the same: @"+name.Text, "%s is not a per-CPU variable", name.Text)
		return Route{}, false
	case cpu == spec.ThisCPU && !r.fn.Target.Features.Immediate:
		r.fn.Fail(name.Span, "per_cpu("+name.Text+", 0) is that of CPU 0", "this kernel has no events with several definitions for one function (they came with 5.5)")
		return Route{}, false
	}
	base := dynevent.Base{Kind: dynevent.PerCPU, Name: name.Text, Addr: place.Addrs[0], Each: cpu == spec.ThisCPU}
	if base.CPU, ok = r.cpu(name, cpu, base.IsNear()); !ok {
		return Route{}, false
	}
	if base.Each && len(r.fn.Target.CPUs.Each) == 1 {
		base.Each = false
	}
	if int64(base.Addr) < 0 { // else it is a number that is the same after each boot
		r.boundTo(name.Text)
	}
	return Route{Base: base, Mem: true, Type: typ, Symbol: &place}, true
}

// cpu returns a CPU of the machine, or with spec.ThisCPU the last one. Unless a variable
// is near, its offset must be known, or with spec.ThisCPU those of all.
func (r *Walker) cpu(name spec.Name, n int, near bool) (dynevent.CPU, bool) {
	cpus := r.fn.Target.CPUs
	if len(cpus.Later) > 0 {
		r.note(fmt.Sprintf("calls on CPUs that are offline now (%d) are not seen if they come online", len(cpus.Later)))
	}
	some := cpus.Each
	if n != spec.ThisCPU {
		i := slices.IndexFunc(some, func(c dynevent.CPU) bool { return c.N == n })
		if i < 0 {
			r.fn.Fail(name.Span, "there are "+dynevent.ListCPUs(cpus.Each), "this machine has no CPU %d", n)
			return dynevent.CPU{}, false
		}
		some = some[i : i+1]
	}
	if lost := slices.IndexFunc(some, func(c dynevent.CPU) bool { return c.Offset == 0 }); lost >= 0 && !near {
		r.fn.FailWith(name.Span, cpus.NoOffset, "it is read from /proc/kcore, which needs CONFIG_PROC_KCORE and root",
			"the address of %s on CPU %d is not known: %v", name.Text, some[lost].N, cpus.NoOffset)
		return dynevent.CPU{}, false
	}
	return some[len(some)-1], true
}
