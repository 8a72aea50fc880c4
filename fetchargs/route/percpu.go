package route

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// Deref returns the route to the memory, of type typ, that the pointer p, called x,
// points to.
func (p Route) Deref(x spec.Expr, typ btf.Type) (Route, *spec.Error) {
	return p.Follow(x.String(), typ), p.isOfOne(x)
}

// isOfOne returns an error if p is a per-CPU pointer, which cannot be followed. Without the
// offset of a CPU it leads to the copy of no CPU, and the memory there is something else.
// The kernel cannot add the offset: of OFFSET in +OFFSET(...) it keeps the low 32 bits (5.10 to 7.3).
func (p Route) isOfOne(x spec.Expr) *spec.Error {
	if !p.IsPerCPU() {
		return nil
	}
	return spec.Errorf(x.Where(), "show the pointer itself; cast it to a pointer to follow it as if it were an address",
		"each CPU has its own of what %s points to, at an offset of its own", x)
}

// currentOfCPU returns the route to the running task on kernels without $current: where
// the kernel itself takes it from, which is a variable per CPU.
func (r *Walker) currentOfCPU(x *spec.Builtin) (Route, *spec.Error) {
	t, err := r.TypeNamed(spec.Name{Text: "struct task_struct", Span: x.Span})
	if err != nil {
		return Route{}, err
	}
	for _, name := range r.fn.Target.Arch.Current {
		name, member, in := strings.Cut(name, ".")
		if len(r.fn.Target.Places[name].Addrs) == 0 {
			continue
		}
		p, err := r.perCPU(spec.Name{Text: name, Span: x.Span}, spec.ThisCPU)
		if err == nil && in {
			var ok bool
			if p, ok = r.Inside(p, member); !ok {
				continue
			}
		}
		p.Type = &btf.Pointer{Target: t}
		return p, err
	}
	return Route{}, spec.Errorf(x.Span, "take it from what a parameter points to, or use $comm for the task's name",
		"$current cannot be fetched: kernels before 7.3 need the address of one of %s", strings.Join(r.fn.Target.Arch.Current, ", "))
}

// perCPU returns the route to the copy of a variable that a CPU has, or with spec.ThisCPU
// the CPU that the function runs on.
func (r *Walker) perCPU(name spec.Name, cpu int) (Route, *spec.Error) {
	if r.fn.Target.CPUs == nil || r.fn.Target.Places == nil {
		return Route{}, spec.Errorf(name.Span, "run tsnoop on that host", "the address of %s on each CPU is known only on the host itself", name.Text)
	}
	typ, _ := r.fn.Target.Variable(name.Text)
	place, err := r.placeOf(name)
	if err != nil {
		return Route{}, err
	}
	switch {
	case place.Hidden:
		return Route{}, spec.Errorf(name.Span, "run as root, and if kernel.kptr_restrict is 2: sysctl kernel.kptr_restrict=1", "the address of %s is hidden from you", name.Text)
	case !place.PerCPU && place.Module:
		return Route{}, spec.Errorf(name.Span, "", "%s is in a module: its address on each CPU is not known", name.Text)
	case !place.PerCPU:
		return Route{}, spec.Errorf(name.Span, "write @"+name.Text+", which all CPUs share", "%s is not a per-CPU variable", name.Text)
	case cpu == spec.ThisCPU && !r.fn.Target.Features.Immediate:
		return Route{}, spec.Errorf(name.Span, "read that of CPU 0: per_cpu("+name.Text+", 0)", "this kernel has no events with several definitions for one function (they came with 5.5)")
	}
	base := dynevent.Base{Kind: dynevent.PerCPU, Name: name.Text, Addr: place.Addrs[0], Each: cpu == spec.ThisCPU}
	if base.CPU, err = r.cpu(name, cpu, base.IsNear()); err != nil {
		return Route{}, err
	}
	if base.Each && len(r.fn.Target.CPUs.Each) == 1 {
		base.Each = false
	}
	p := Route{Base: base, Mem: true, Type: typ, Symbol: &place}
	if later := len(r.fn.Target.CPUs.Later); later > 0 {
		p = p.remark(Note, fmt.Sprintf("calls on CPUs that are offline now (%d) are not seen if they come online", later))
	}
	if int64(base.Addr) < 0 { // else it is a number that is the same after each boot
		p = p.remark(Address, name.Text)
	}
	return p, nil
}

// cpu returns a CPU of the machine, or with spec.ThisCPU the last one. Unless a variable
// is near, its offset must be known, or with spec.ThisCPU those of all.
func (r *Walker) cpu(name spec.Name, n int, near bool) (dynevent.CPU, *spec.Error) {
	cpus := r.fn.Target.CPUs
	some := cpus.Each
	if n != spec.ThisCPU {
		i := slices.IndexFunc(some, func(c dynevent.CPU) bool { return c.N == n })
		if i < 0 {
			return dynevent.CPU{}, spec.Errorf(name.Span, "choose a CPU from "+dynevent.ListCPUs(cpus.Each), "this host has no CPU %d", n)
		}
		some = some[i : i+1]
	}
	if lost := slices.IndexFunc(some, func(c dynevent.CPU) bool { return c.Offset == 0 }); lost >= 0 && !near {
		return dynevent.CPU{}, spec.ErrorWith(name.Span, cpus.NoOffset, "run as root on a kernel with CONFIG_PROC_KCORE: the address is read from /proc/kcore",
			"the address of %s on CPU %d is not known: %v", name.Text, some[lost].N, cpus.NoOffset)
	}
	return some[len(some)-1], nil
}
