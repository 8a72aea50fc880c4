package route

import (
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// symbol returns the route to @NAME: the memory of a variable, or the address of a
// function. In a fetcharg the kernel takes only the first by its name.
func (r *Walker) symbol(x *spec.Symbol) (Route, *spec.Error) {
	typ, perCPU := r.fn.Target.Variable(x.Text)
	p := Route{Base: dynevent.Base{Kind: dynevent.Memory, Name: x.Text}, Mem: true, Type: typ, Name: x.Text}
	if r.fn.Target.Places == nil {
		p.Symbol = &target.SymbolPlace{Hidden: true}
	} else {
		found, err := r.placeOf(x.Name)
		if err != nil {
			return p, err
		}
		p.Symbol = &found
	}
	if s := p.Symbol; !s.Hidden && !s.Module && len(s.Addrs) == 1 {
		p.Base.Addr = s.Addrs[0]
	}
	if perCPU || p.Symbol.PerCPU {
		err := spec.Errorf(x.Span, "take it from what a parameter points to, or use $comm for the task's name",
			"each CPU has its own %s, and @ would fetch what they were made from", x.Text)
		if r.fn.Target.CPUs != nil {
			err.Mend(x.Span, "read that of the CPU that runs: ", fmt.Sprintf("this_cpu(%s)", x.Text))
		}
		return p, err
	}
	if typ == nil && r.isFunction(x.Text, p.Symbol) {
		p.Mem, p.Type = false, &btf.Pointer{Target: &btf.FuncProto{Return: &btf.Void{}}}
	}
	return p, nil
}

// placeOf returns where the kernel has the only symbol of a name.
func (r *Walker) placeOf(name spec.Name) (found target.SymbolPlace, err *spec.Error) {
	found = r.fn.Target.Places[name.Text]
	switch n := len(found.Addrs); {
	case n == 0:
		err = spec.Errorf(name.Span, "look for it: grep -i "+name.Text+" /proc/kallsyms", "there is no variable or function %s in this kernel", name.Text)
	case n > 1:
		err = spec.Errorf(name.Span, "take a pointer that leads to it from a parameter", "%d things of this kernel are named %s", n, name.Text)
	}
	return found, err
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

// IsPointer reports whether p can be a pointer, by its type if that is known.
func (p Route) IsPointer() bool {
	return !p.IsUntyped() && (p.Type == nil || btf.Pointee(p.Type) != nil)
}

// isObject reports whether p is a whole variable that is a struct.
func (p Route) isObject() bool {
	return p.OfVariable() && p.Mem && len(p.Hops) == 0 && p.Off == 0 && p.Type != nil && btf.IsStruct(p.Type)
}

// addressOf returns the current value of the address p.
func (r *Walker) addressOf(p Route, x spec.Expr) (uint64, *spec.Error) {
	switch {
	case r.fn.Target.Places == nil:
		return 0, spec.Errorf(x.Where(), "fetch its value: @NAME", "the address of %s is known on the host itself only", p.Base.Words())
	case p.Symbol.Hidden:
		return 0, spec.Errorf(x.Where(), "run as root, and if kernel.kptr_restrict is 2: sysctl kernel.kptr_restrict=1", "the address of %s is hidden from you", p.Base.Words())
	}
	addr := p.Symbol.Addrs[0] + uint64(p.Off)
	if p.Base.Kind != dynevent.PerCPU {
		return addr, nil
	}
	if p.Base.Each { // where Constant has asked for those of all
		return addr + p.Base.CPU.Offset, nil
	}
	c, err := r.cpu(spec.Name{Text: p.Base.Name, Span: x.Where()}, p.Base.CPU.N, false)
	return addr + c.Offset, err
}

// Constant returns the route of the address p as a number.
func (r *Walker) Constant(p Route, x spec.Expr) (_ Route, err *spec.Error) {
	own := p.Base
	if own.Each {
		if p.Base.CPU, err = r.cpu(spec.Name{Text: own.Name, Span: x.Where()}, spec.ThisCPU, false); err != nil {
			return p, err
		}
	}
	addr, err := r.addressOf(p, x)
	number := Route{Base: dynevent.Base{Kind: dynevent.Immediate, N: int64(addr), CPU: p.Base.CPU, Each: own.Each}, Type: p.Type, Remarks: p.Remarks}
	return number.remark(Address, p.Base.Words()), err
}

// Address reports whether x is an address of the kernel or a size, and returns the number.
func (r *Walker) Address(x spec.Expr) (number Route, is bool, err *spec.Error) {
	if size, ok := x.(*spec.SizeOf); ok {
		n, err := r.size(size)
		return Route{Base: dynevent.Base{Kind: dynevent.Immediate, N: int64(n)}}, true, err
	}
	if !r.IsConstant(x) {
		return Route{}, false, nil
	}
	p, _ := r.Walk(x)
	number, err = r.Constant(p, x)
	return number, true, err
}

// IsConstant reports whether x is an address of the kernel, or a size.
func (r *Walker) IsConstant(x spec.Expr) bool {
	if _, ok := x.(*spec.SizeOf); ok {
		return true
	}
	if !spec.OfSymbol(x) {
		return false
	}
	p, err := r.Walk(x)
	return err == nil && p.IsAddress() && !p.Base.Each
}

// Untyped returns the error that the variable p needs a type.
func (p Route) Untyped(x spec.Expr) *spec.Error {
	size := "u64"
	what := ""
	if room := p.Symbol.Room; room > 0 {
		what = "; it has at most " + plural.Of(room, "byte")
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
	hint := fmt.Sprintf("cast it, (%s)%s, or give a FORMAT, %s:%s, or for text %s:string", size, name, name, size, name)
	return spec.Errorf(x.Where(), hint, "the type of %s is not known%s", name, what)
}

// structHint says how to go into a variable of unknown type.
func (p Route) structHint() string {
	return fmt.Sprintf("cast its address: ((struct TYPE *)&%s)->..., or if it is a pointer: ((struct TYPE *)%s)->...", p.Base.Words(), p.Base.Words())
}
