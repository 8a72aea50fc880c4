package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
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
	r.Fail(x.Where(), "the pointer by itself can be shown; cast to a pointer, it is followed as if it were an address",
		"each CPU has its own of what %s points to, at an offset of its own", x)
	return false
}

// hasCurrent reports whether the running task can be fetched.
func (t *Target) hasCurrent() bool { return t.Features.Current || t.CPUs != nil }

// currentOfCPU returns the route to the running task on kernels without $current: where
// the kernel itself takes it from, which is a variable per CPU.
func (r *resolver) currentOfCPU(x *spec.Builtin) (route, bool) {
	t, ok := r.typeNamed(spec.Name{Text: "struct task_struct", Span: x.Span})
	if !ok {
		return route{}, false
	}
	for _, name := range r.target.Arch.Current {
		name, member, in := strings.Cut(name, ".")
		place, err := r.target.Place(name)
		if err != nil {
			r.fatal = err
			return route{}, false
		}
		if len(place.Addrs) == 0 {
			continue
		}
		p, ok := r.perCPU(spec.Name{Text: name, Span: x.Span}, spec.ThisCPU)
		if ok && in {
			if p, ok = r.inside(p, member); !ok {
				continue
			}
		}
		p.typ = &btf.Pointer{Target: t}
		return p, ok
	}
	r.Fail(x.Span, "take it from what a parameter points to; the task's name is $comm",
		"this kernel cannot fetch $current, which came with 7.3, and has none of %s", strings.Join(r.target.Arch.Current, ", "))
	return route{}, false
}

// perCPU returns the route to the copy of a variable that a CPU has, or with spec.ThisCPU
// the CPU that the function runs on.
func (r *resolver) perCPU(name spec.Name, cpu int) (route, bool) {
	if r.target.CPUs == nil || r.target.Place == nil {
		r.Fail(name.Span, "run it there", "the address of %s on each CPU is known only on the machine itself", name.Text)
		return route{}, false
	}
	typ, _ := r.target.variable(name.Text)
	place, ok := r.placeOf(name)
	if !ok {
		return route{}, false
	}
	switch {
	case place.Hidden:
		r.Fail(name.Span, "be root, and with kernel.kptr_restrict=2: sysctl kernel.kptr_restrict=1", "the address of %s is hidden from you", name.Text)
		return route{}, false
	case !place.PerCPU && place.Module:
		r.Fail(name.Span, "", "%s is in a module: its address on each CPU is not known", name.Text)
		return route{}, false
	case !place.PerCPU:
		r.Fail(name.Span, "all CPUs have the same: @"+name.Text, "%s is not a per-CPU variable", name.Text)
		return route{}, false
	case cpu == spec.ThisCPU && !r.target.Features.Immediate:
		r.Fail(name.Span, "per_cpu("+name.Text+", 0) is that of CPU 0", "this kernel has no events with several definitions for one function (they came with 5.5)")
		return route{}, false
	}
	base := dynevent.Base{Kind: dynevent.PerCPU, Name: name.Text, Addr: place.Addrs[0], Each: cpu == spec.ThisCPU}
	if base.CPU, ok = r.cpu(name, cpu, base.IsNear()); !ok {
		return route{}, false
	}
	if base.Each && len(r.cpus) == 1 {
		base.Each = false
	}
	if int64(base.Addr) < 0 { // else it is a number that is the same after each boot
		r.out.boundTo(name.Text)
	}
	return route{base: base, mem: true, typ: typ, symbol: &place}, true
}

// cpu returns a CPU of the machine, or with spec.ThisCPU the last one. Unless a variable
// is near, its offset is found, or with spec.ThisCPU those of all.
func (r *resolver) cpu(name spec.Name, n int, near bool) (dynevent.CPU, bool) {
	if r.cpus == nil && !r.findCPUs() {
		return dynevent.CPU{}, false
	}
	own := r.cpus
	i := len(own) - 1
	if n != spec.ThisCPU {
		i = slices.IndexFunc(own, func(c dynevent.CPU) bool { return c.N == n })
	}
	if i < 0 {
		r.Fail(name.Span, "there are "+dynevent.ListCPUs(own), "this machine has no CPU %d", n)
		return dynevent.CPU{}, false
	}
	if near {
		return own[i], true
	}
	if n == spec.ThisCPU {
		for j := range own {
			if !r.offset(&own[j], name) {
				return dynevent.CPU{}, false
			}
		}
	}
	return own[i], r.offset(&own[i], name)
}

// findCPUs finds the CPUs of the machine, without their offsets.
func (r *resolver) findCPUs() bool {
	cpus, err := r.target.CPUs()
	if err == nil && len(cpus.Numbers) == 0 {
		err = fmt.Errorf("this machine lists no CPUs")
	}
	if err != nil {
		r.fatal = err
		return false
	}
	table, err := r.target.Place(dynevent.PerCPUOffsets)
	if err != nil {
		r.fatal = err
		return false
	}
	if len(cpus.Later) > 0 {
		r.out.Notes = append(r.out.Notes, fmt.Sprintf("calls on CPUs that are offline now (%d) are not seen if they come online", len(cpus.Later)))
	}
	for _, n := range cpus.Numbers {
		c := dynevent.CPU{N: n}
		if !table.Hidden && len(table.Addrs) == 1 {
			c.Table = table.Addrs[0]
		}
		r.cpus = append(r.cpus, c)
	}
	return true
}

// offset finds the offset of a CPU in the kernel's memory.
func (r *resolver) offset(c *dynevent.CPU, name spec.Name) bool {
	if c.Offset != 0 {
		return true
	}
	at, err := r.target.CPUOffset(c.N)
	if err != nil {
		r.FailWith(name.Span, err, "it is read from /proc/kcore, which needs CONFIG_PROC_KCORE and root",
			"the address of %[2]s on CPU %[1]d is not known: %[3]v", c.N, name.Text, err)
		return false
	}
	c.Offset = at
	return true
}
