package route

import (
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// symbol returns the route to @NAME: the memory of a variable, or the address of a
// function. In a fetcharg the kernel takes only the first by its name.
func (r *Walker) symbol(x *spec.Symbol) (Route, bool) {
	typ, perCPU := r.fn.Target.Variable(x.Text)
	p := Route{Base: dynevent.Base{Kind: dynevent.Memory, Name: x.Text}, Mem: true, Type: typ, Name: x.Text}
	if r.fn.Target.Places == nil {
		p.Symbol = &target.SymbolPlace{Hidden: true}
	} else {
		found, ok := r.placeOf(x.Name)
		if !ok {
			return p, false
		}
		p.Symbol = &found
	}
	if s := p.Symbol; !s.Hidden && !s.Module && len(s.Addrs) == 1 {
		p.Base.Addr = s.Addrs[0]
	}
	if perCPU || p.Symbol.PerCPU {
		r.fn.Fail(x.Span, "take it from what a parameter points to; the task's name is $comm",
			"each CPU has its own %s, and @ would fetch what they were made from", x.Text)
		if r.fn.Target.CPUs != nil {
			r.fn.Errs[len(r.fn.Errs)-1].Mend(x.Span, "that of the CPU that runs is ", fmt.Sprintf("this_cpu(%s)", x.Text))
		}
		return p, false
	}
	if typ == nil && r.isFunction(x.Text, p.Symbol) {
		p.Mem, p.Type = false, &btf.Pointer{Target: &btf.FuncProto{Return: &btf.Void{}}}
	}
	return p, true
}

// placeOf returns where the kernel has the only symbol of a name.
func (r *Walker) placeOf(name spec.Name) (found target.SymbolPlace, ok bool) {
	found = r.fn.Target.Places[name.Text]
	switch n := len(found.Addrs); {
	case n == 0:
		r.fn.Fail(name.Span, "what there is: grep -i "+name.Text+" /proc/kallsyms", "there is no variable or function %s in this kernel", name.Text)
	case n > 1:
		r.fn.Fail(name.Span, "a pointer that leads to it may be had from a parameter", "%d things of this kernel are named %s", n, name.Text)
	}
	return found, len(found.Addrs) == 1
}

// isFunction reports whether a symbol is a function; if its address is hidden, by BTF.
func (r *Walker) isFunction(name string, s *target.SymbolPlace) bool {
	if !s.Hidden {
		return s.Function
	}
	_, err := r.fn.Target.Kernel.Func("", name)
	return err == nil
}

// IsAddress reports whether p is the address of a variable or function.
func (p Route) IsAddress() bool { return p.OfVariable() && !p.Mem && len(p.Hops) == 0 }

// IsUntyped reports whether p is a variable whose type is not known.
func (p Route) IsUntyped() bool { return p.OfVariable() && p.Mem && len(p.Hops) == 0 && p.Type == nil }

// isObject reports whether p is a whole variable that is a struct.
func (p Route) isObject() bool {
	return p.OfVariable() && p.Mem && len(p.Hops) == 0 && p.Off == 0 && p.Type != nil && btf.IsStruct(p.Type)
}

// addressOf returns the current value of the address p.
func (r *Walker) addressOf(p Route, x spec.Expr) (uint64, bool) {
	switch {
	case r.fn.Target.Places == nil:
		r.fn.Fail(x.Where(), "what lies there can be fetched: @NAME", "the address of %s is known on the machine itself only", p.Base.Words())
		return 0, false
	case p.Symbol.Hidden:
		r.fn.Fail(x.Where(), "be root, and with kernel.kptr_restrict=2: sysctl kernel.kptr_restrict=1", "the address of %s is hidden from you", p.Base.Words())
		return 0, false
	}
	r.boundTo(p.Base.Words())
	addr := p.Symbol.Addrs[0] + uint64(p.Off)
	if p.Base.Kind != dynevent.PerCPU {
		return addr, true
	}
	name := spec.Name{Text: p.Base.Name, Span: x.Where()}
	if p.Base.Each { // where constant has been asked for those of all
		return addr + p.Base.CPU.Offset, true
	}
	c, ok := r.cpu(name, p.Base.CPU.N, false)
	return addr + c.Offset, ok
}

// Constant returns the route of the address p as a number.
func (r *Walker) Constant(p Route, x spec.Expr) (Route, bool) {
	own := p.Base
	if own.Each {
		c, ok := r.cpu(spec.Name{Text: own.Name, Span: x.Where()}, spec.ThisCPU, false)
		if p.Base.CPU = c; !ok {
			return p, false
		}
	}
	addr, ok := r.addressOf(p, x)
	return Route{Base: dynevent.Base{Kind: dynevent.Immediate, N: int64(addr), CPU: p.Base.CPU, Each: own.Each}, Type: p.Type}, ok
}

// Address reports whether x is an address of the kernel or a size, and returns it.
func (r *Walker) Address(x spec.Expr) (addr uint64, is, ok bool) {
	if size, ok := x.(*spec.SizeOf); ok {
		n, ok := r.size(size)
		return uint64(n), true, ok
	}
	if !r.IsConstant(x) {
		return 0, false, false
	}
	p, _ := r.Walk(x)
	addr, ok = r.addressOf(p, x)
	return addr, true, ok
}

// IsConstant reports whether x is an address of the kernel, or a size.
func (r *Walker) IsConstant(x spec.Expr) bool {
	if _, ok := x.(*spec.SizeOf); ok {
		return true
	}
	if !spec.OfSymbol(x) {
		return false
	}
	before := len(r.fn.Errs)
	p, ok := r.Walk(x)
	r.fn.Errs = r.fn.Errs[:before]
	return ok && p.IsAddress() && !p.Base.Each
}

// Untyped adds the error that the variable needs a type.
func (r *Walker) Untyped(x spec.Expr, p Route) {
	size := "u64"
	what := ""
	if room := p.Symbol.Room; room > 0 {
		what = fmt.Sprintf("; it has %d bytes at most", room)
		switch {
		case room < 2:
			size = "u8"
		case room < 4:
			size = "u16"
		case room < 8:
			size = "u32"
		}
	}
	name := p.Base.Words()
	hint := fmt.Sprintf("cast it, (%s)%s, or give a FORMAT, %s:%s; text is %s:string", size, name, name, size, name)
	r.fn.Fail(x.Where(), hint, "the type of %s is not known%s", name, what)
}

// structHint says how to go into a variable of unknown type.
func (p Route) structHint() string {
	return fmt.Sprintf("cast its address: ((struct TYPE *)&%s)->..., or if it is a pointer: ((struct TYPE *)%s)->...", p.Base.Words(), p.Base.Words())
}
