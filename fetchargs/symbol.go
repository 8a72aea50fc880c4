package fetchargs

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A SymbolPlace says where a kernel has the symbols of one name.
type SymbolPlace struct {
	Addrs    []uint64 // empty if there is nothing of that name
	Hidden   bool     // the addresses are not known
	Function bool     // as far as addresses show that
	PerCPU   bool     // a per-CPU variable
	Module   bool     // in a module, which may be unloaded
	Room     uint64   // bytes to the next symbol; 0 if not known
}

// symbol returns the route to @NAME: the memory of a variable, or the address of a
// function. In a fetcharg the kernel takes only the first by its name.
func (r *resolver) symbol(x *spec.Symbol) (route, bool) {
	typ, perCPU := r.target.variable(x.Text)
	p := route{base: dynevent.Base{Kind: dynevent.Memory, Name: x.Text}, mem: true, typ: typ, name: x.Text}
	if r.target.Place == nil {
		p.symbol = &SymbolPlace{Hidden: true}
	} else {
		found, ok := r.placeOf(x.Name)
		if !ok {
			return p, false
		}
		p.symbol = &found
	}
	if s := p.symbol; !s.Hidden && !s.Module && len(s.Addrs) == 1 {
		p.base.Addr = s.Addrs[0]
	}
	if perCPU || p.symbol.PerCPU {
		r.Fail(x.Span, "take it from what a parameter points to; the task's name is $comm",
			"each CPU has its own %s, and @ would fetch what they were made from", x.Text)
		if r.target.CPUs != nil {
			r.Errs[len(r.Errs)-1].Mend(x.Span, "that of the CPU that runs is ", fmt.Sprintf("this_cpu(%s)", x.Text))
		}
		return p, false
	}
	if typ == nil && r.isFunction(x.Text, p.symbol) {
		p.mem, p.typ = false, &btf.Pointer{Target: &btf.FuncProto{Return: &btf.Void{}}}
	}
	return p, true
}

// placeOf returns where the kernel has the only symbol of a name.
func (r *resolver) placeOf(name spec.Name) (found SymbolPlace, ok bool) {
	found, err := r.target.Place(name.Text)
	if err != nil {
		r.fatal = err
		return found, false
	}
	switch n := len(found.Addrs); {
	case n == 0:
		r.Fail(name.Span, "what there is: grep -i "+name.Text+" /proc/kallsyms", "there is no variable or function %s in this kernel", name.Text)
	case n > 1:
		r.Fail(name.Span, "a pointer that leads to it may be had from a parameter", "%d things of this kernel are named %s", n, name.Text)
	}
	return found, len(found.Addrs) == 1
}

// isFunction reports whether a symbol is a function; if its address is hidden, by BTF.
func (r *resolver) isFunction(name string, s *SymbolPlace) bool {
	if !s.Hidden {
		return s.Function
	}
	_, err := r.target.Kernel.Func("", name)
	return err == nil
}

// isAddress reports whether p is the address of a variable or function.
func (p route) isAddress() bool { return p.ofVariable() && !p.mem && len(p.hops) == 0 }

// isUntyped reports whether p is a variable whose type is not known.
func (p route) isUntyped() bool { return p.ofVariable() && p.mem && len(p.hops) == 0 && p.typ == nil }

// isObject reports whether p is a whole variable that is a struct.
func (p route) isObject() bool {
	return p.ofVariable() && p.mem && len(p.hops) == 0 && p.off == 0 && p.typ != nil && btf.IsStruct(p.typ)
}

// addressOf returns the current value of the address p.
func (r *resolver) addressOf(p route, x spec.Expr) (uint64, bool) {
	switch {
	case r.target.Place == nil:
		r.Fail(x.Where(), "what lies there can be fetched: @NAME", "the address of %s is known on the machine itself only", p.base.Words())
		return 0, false
	case p.symbol.Hidden:
		r.Fail(x.Where(), "be root, and with kernel.kptr_restrict=2: sysctl kernel.kptr_restrict=1", "the address of %s is hidden from you", p.base.Words())
		return 0, false
	}
	r.out.boundTo(p.base.Words())
	addr := p.symbol.Addrs[0] + uint64(p.off)
	if p.base.Kind != dynevent.PerCPU {
		return addr, true
	}
	name := spec.Name{Text: p.base.Name, Span: x.Where()}
	if p.base.Each { // where constant has been asked for those of all
		return addr + p.base.CPU.Offset, true
	}
	c, ok := r.cpu(name, p.base.CPU.N, false)
	return addr + c.Offset, ok
}

// boundTo records that the address of symbol is in the plan.
func (p *Plan) boundTo(symbol string) {
	if !slices.Contains(p.Addresses, symbol) {
		p.Addresses = append(p.Addresses, symbol)
	}
}

// constant returns the route of the address p as a number.
func (r *resolver) constant(p route, x spec.Expr) (route, bool) {
	own := p.base
	if own.Each {
		c, ok := r.cpu(spec.Name{Text: own.Name, Span: x.Where()}, spec.ThisCPU, false)
		if p.base.CPU = c; !ok {
			return p, false
		}
	}
	addr, ok := r.addressOf(p, x)
	return route{base: dynevent.Base{Kind: dynevent.Immediate, N: int64(addr), CPU: p.base.CPU, Each: own.Each}, typ: p.typ}, ok
}

// Address reports whether x is an address of the kernel or a size, and returns it.
func (r *resolver) Address(x spec.Expr) (addr uint64, is, ok bool) {
	if size, ok := x.(*spec.SizeOf); ok {
		n, ok := r.size(size)
		return uint64(n), true, ok
	}
	if !r.isConstant(x) {
		return 0, false, false
	}
	p, _ := r.walk(x)
	addr, ok = r.addressOf(p, x)
	return addr, true, ok
}

// isConstant reports whether x is an address of the kernel, or a size.
func (r *resolver) isConstant(x spec.Expr) bool {
	if _, ok := x.(*spec.SizeOf); ok {
		return true
	}
	if !spec.OfSymbol(x) {
		return false
	}
	before := len(r.Errs)
	p, ok := r.walk(x)
	r.Errs = r.Errs[:before]
	return ok && p.isAddress() && !p.base.Each
}

// encodeUntyped encodes a variable of unknown type as the FORMAT says.
func (r *resolver) encodeUntyped(e encoded, x spec.Expr, f *value.Format) (encoded, bool) {
	switch {
	case f == nil:
	case f.Shape == value.KernelText:
		e.field.Encoding, e.field.Size, e.typ = value.String, 4, dynevent.String
		return e, true
	case f.Shape == value.ByteArray:
		return r.bytesOf(e, e.route, f.Size, x)
	case f.Shape == value.FixedWidth:
		return r.encodeFixed(e, x, f)
	case f.Name == "sym":
		return number(e, 8, f), true
	}
	r.untyped(x, e.route)
	return e, false
}

// untyped adds the error that the variable needs a type.
func (r *resolver) untyped(x spec.Expr, p route) {
	size := "u64"
	what := ""
	if room := p.symbol.Room; room > 0 {
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
	name := p.base.Words()
	hint := fmt.Sprintf("cast it, (%s)%s, or give a FORMAT, %s:%s; text is %s:string", size, name, name, size, name)
	r.Fail(x.Where(), hint, "the type of %s is not known%s", name, what)
}

// structHint says how to go into a variable of unknown type.
func (p route) structHint() string {
	return fmt.Sprintf("cast its address: ((struct TYPE *)&%s)->..., or if it is a pointer: ((struct TYPE *)%s)->...", p.base.Words(), p.base.Words())
}

// within refuses to read past the end of the variable that e starts from.
func (r *resolver) within(e encoded, x spec.Expr) bool {
	p := e.route
	if !p.ofVariable() || p.symbol.Room == 0 {
		return true
	}
	off, n := p.off, e.field.Size
	switch {
	case len(p.hops) > 0:
		off, n = p.hops[0].Offset, 8
	case e.field.Encoding == value.Array:
		n *= e.field.Count
	case e.field.Encoding == value.Dumped:
		n = min(e.field.Whole, value.MostOfObject)
	case e.field.Encoding == value.String:
		n = 1
	}
	if off+int64(n) <= int64(p.symbol.Room) {
		return true
	}
	r.Fail(x.Where(), "", "%s is read to byte %d, but the next symbol lies %d bytes behind %s", x, off+int64(n), p.symbol.Room, p.base.Words())
	return false
}
