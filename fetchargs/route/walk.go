package route

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Walk returns the route to the value of an expression. If it returns false, it has added
// an error.
func (r *Walker) Walk(x spec.Expr) (Route, bool) {
	switch x := x.(type) {
	case *spec.Ident:
		return r.ident(x)
	case *spec.Member:
		return r.member(x)
	case *spec.Index:
		return r.index(x)
	case *spec.Range:
		return r.elementRange(x)
	case *spec.Deref:
		return r.deref(x)
	case *spec.Addr:
		return r.addr(x)
	case *spec.Cast:
		return r.cast(x)
	case *spec.ContainerOf:
		return r.containerOf(x)
	case *spec.Symbol:
		return r.symbol(x)
	case *spec.PerCPU:
		return r.perCPU(x.Name, x.CPU)
	case *spec.Builtin:
		return r.builtin(x)
	case *spec.Typed:
		return r.typed(x)
	case *spec.Choice:
		return r.choice(x)
	case *spec.SizeOf:
		return r.sizeOf(x)
	case *spec.Since:
		r.fn.Fail(x.Span, "", "%s(...) is %s, not a value of the call", x.Word(), spec.Tells(x.Who))
		return Route{}, false
	}
	panic(fmt.Sprintf("fetchargs: unknown expression %T", x))
}

func (r *Walker) ident(x *spec.Ident) (Route, bool) {
	if x.Text == "return" {
		return r.result(x)
	}
	if item := r.ItemNamed(x); item != nil {
		before := r.naming
		r.naming = item
		defer func() { r.naming = before }()
		return r.Walk(item.Expr)
	}
	for i, param := range r.fn.Proto.Params {
		if param.Name != x.Text {
			continue
		}
		if err := r.ParamErrs[i]; err != nil {
			r.fn.FailWith(x.Span, err, "%REG and $stackN fetch by place, if you know it", "cannot fetch %s: %v", x.Text, err)
			return Route{}, false
		}
		p := r.Params[i]
		if p.Set == "" {
			p.Set = value.SetOfParam(r.fn.Proto.Name, param.Name)
		}
		if p.Name = param.Name; r.fn.Call != nil {
			p.Use = value.UsageOf(r.fn.Call.Name, param.Name)
		}
		return p, true
	}
	r.noParameter(x)
	return Route{}, false
}

func (r *Walker) result(x *spec.Ident) (Route, bool) {
	if !r.fn.Source.Returns() {
		r.fn.Fail(x.Span, "", "%s does not return: it has no result", r.fn.Proto.Name)
		return Route{}, false
	}
	if r.fn.Proto.Untyped {
		return Route{Base: dynevent.Base{Kind: dynevent.Retval}, Return: true, Name: "return"}, true
	}
	if btf.IsVoid(r.fn.Proto.Return) {
		r.fn.Fail(x.Span, "its prototype: "+r.fn.Proto.String(), "%s returns nothing", r.fn.Proto.Name)
		return Route{}, false
	}
	p := Route{Type: r.fn.Proto.Return, Base: dynevent.Base{Kind: dynevent.Retval}, Return: true, Name: "return"}
	if btf.IsStruct(p.Type) {
		regs, err := r.fn.Target.Arch.Result(p.Type)
		if err != nil {
			r.fn.Fail(x.Span, "", "%s returns %s by value, which cannot be fetched: %v", r.fn.Proto.Name, btf.Name(p.Type), err)
			return Route{}, false
		}
		if p.InReg = true; regs > 1 {
			p.Base2 = dynevent.Base{Kind: dynevent.Register, Name: r.fn.Target.Arch.Results[1]}
		}
	}
	return p, true
}

// into returns the route to the struct that x is or points to.
func (r *Walker) into(x spec.Expr, what spec.Span, verb string) (Route, bool) {
	p, ok := r.Walk(x)
	if !ok || !r.IsOfOne(p, x) {
		return p, false
	}
	if p.BitSize > 0 && !p.InReg {
		r.fn.Fail(x.Where(), "", "%s is a bit field and has no members", x)
		return p, false
	}
	of := p.Type
	for depth := 0; depth < 2; depth++ {
		if p.Type == nil {
			r.fn.FailFix(x.Where(), spec.Fix{Span: x.Where(), Text: fmt.Sprintf("((struct TYPE *)%s)", x)}, "cast it: ", "the type of %s is not known", x)
			if p.IsUntyped() {
				last := r.fn.Errs[len(r.fn.Errs)-1]
				last.Hint, last.Fix = p.structHint(), spec.Fix{}
			}
			return p, false
		}
		if btf.IsStruct(p.Type) {
			return p, true
		}
		target := r.Pointee(p.Type)
		if target == nil || depth > 0 {
			break
		}
		p = p.Follow(x.String(), target)
	}
	hint := ""
	if _, fwd := btf.Strip(p.Type).(*btf.Fwd); fwd {
		hint = "this kernel's BTF only declares it; a module may define it: give its BTF with --btf"
	}
	r.fn.Fail(what, hint, "%s is %s and has no members to %s", x, btf.Name(of), verb)
	if target := r.Pointee(p.Type); target != nil && btf.IsStruct(target) {
		r.fn.Errs[len(r.fn.Errs)-1].Mend(x.Where(), "dereference it first: ", fmt.Sprintf("(*%s)", x))
	} else if _, void := btf.Strip(p.Type).(*btf.Void); void {
		r.fn.Errs[len(r.fn.Errs)-1].Mend(x.Where(), "cast it: ", fmt.Sprintf("((struct TYPE *)%s)", x))
	}
	return p, false
}

func (r *Walker) member(x *spec.Member) (Route, bool) {
	p, ok := r.into(x.X, x.Name.Span, "go into")
	if !ok {
		return p, false
	}
	m, err := btf.Member(p.Type, x.Name.Text)
	if err != nil {
		r.noMember(x.Name, p.Type, err)
		return p, false
	}
	text, set, boot := value.IsTextMember(p.Type, x.Name.Text), value.SetOfMember(p.Type, x.Name.Text), value.IsBootStamp(p.Type, x.Name.Text)
	if p, ok = p.Member(m).Settle(); !ok {
		r.fn.Fail(x.Where(), "", "%s is passed in registers, and this part of it cannot be fetched", x.X)
	}
	p.Name, p.Text, p.Set, p.Boot = x.Name.Text, text, set, boot
	return p, ok
}

func (r *Walker) noMember(name spec.Name, t btf.Type, err error) {
	var missing *btf.NotFoundError
	if !errors.As(err, &missing) {
		r.fn.FailWith(name.Span, err, "", "%v", err)
		return
	}
	list := btf.Members(t)
	const most = 12
	hint := "members: " + strings.Join(list[:min(most, len(list))], ", ")
	if n := len(list) - most; n > 0 {
		hint += fmt.Sprintf(" and %d more (tsnoop info '%s')", n, btf.Name(btf.Strip(t)))
	}
	if len(missing.Near) > 0 {
		hint = ""
	}
	r.fn.FailWith(name.Span, err, spec.DidYouMean(missing.Near, hint), "%s has no member %q", btf.Name(btf.Strip(t)), name.Text)
}

func (r *Walker) index(x *spec.Index) (Route, bool) {
	p, elem, n, ok := r.elementsOf(x.X, x, x.N)
	if !ok {
		return p, false
	}
	if n > 0 && (x.N < 0 || x.N >= n) {
		r.fn.FailFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("%s[%d]", spec.Postfixed(x.X), n-1)}, "the last is ", "%s has %d elements", x.X, n)
		return p, false
	}
	return r.element(p, x, elem)
}

// elementsOf returns the route to the first element of of, an array or a pointer, the
// type of the elements, and their number, 0 if that is not known. x is the whole
// expression, for one or several elements starting at first.
func (r *Walker) elementsOf(of, x spec.Expr, first int64) (p Route, elem btf.Type, n int64, ok bool) {
	if p, ok = r.Walk(of); !ok {
		return p, nil, 0, false
	}
	if p.Type != nil {
		if a, ok := btf.Strip(p.Type).(*btf.Array); ok {
			return p, a.Type, int64(a.Nelems), true
		}
		if target := r.Pointee(p.Type); target != nil {
			if !r.IsOfOne(p, of) {
				return p, nil, 0, false
			}
			if btf.IsVoid(target) {
				target = r.declared(of)
			}
			if !btf.IsVoid(target) {
				return p.Follow(of.String(), target), target, 0, true
			}
		}
	}
	if p.IsUntyped() {
		r.fn.Fail(x.Where(), fmt.Sprintf("cast its address: ((TYPE *)&%s)[%d]", p.Base.Words(), first), "the type of %s is not known", of)
		return p, nil, 0, false
	}
	hint := ""
	if inner, ok := of.(*spec.Index); ok {
		hint = fmt.Sprintf("BTF has an array of arrays as one: [%d][%d] of [N][M] is [%d*M+%d]", inner.N, first, inner.N, first)
	}
	r.fn.Fail(x.Where(), hint, "%s is %s: only arrays and pointers have elements", of, value.TypeName(p.Type))
	if btf.Pointee(p.Type) != nil {
		bytes := &spec.Cast{Type: spec.Name{Text: "u8 *"}, X: of}
		switch x := x.(type) {
		case *spec.Range:
			cast := *x
			cast.X = bytes
			r.fn.Errs[len(r.fn.Errs)-1].Mend(x.Span, "cast it: ", cast.String())
		case *spec.Index:
			cast := *x
			cast.X = bytes
			r.fn.Errs[len(r.fn.Errs)-1].Mend(x.Span, "cast it: ", cast.String())
		}
	}
	return p, nil, 0, false
}

// declared returns what a parameter of a system call points to by the kernel's own
// prototype, where it is shown as an address. It is void for anything else.
func (r *Walker) declared(x spec.Expr) btf.Type {
	if id, ok := x.(*spec.Ident); ok && r.fn.Call != nil {
		for _, p := range r.fn.Call.Source.Params {
			if p.Name == id.Text {
				return r.Pointee(p.Type)
			}
		}
	}
	return (*btf.Void)(nil)
}

func (r *Walker) element(p Route, x *spec.Index, t btf.Type) (Route, bool) {
	size, ok := btf.Size(t)
	if !ok {
		r.fn.Fail(x.Span, "", "the size of %s is not known", btf.Name(t))
		return p, false
	}
	p, ok = p.At(x.N*int64(size), t).Settle()
	if !ok {
		r.fn.Fail(x.Span, "", "%s is passed in registers, and this part of it cannot be fetched", x.X)
	}
	return p, ok
}

func (r *Walker) deref(x *spec.Deref) (Route, bool) {
	p, ok := r.Walk(x.X)
	if !ok || !r.IsOfOne(p, x.X) {
		return p, false
	}
	if p.IsUntyped() {
		r.fn.FailFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("*(u64 *)%s", x.X)}, "cast it: ", "the type of %s is not known", x.X)
		return p, false
	}
	if p.Type == nil { // a register: read 64 bits of memory
		return p.Follow(x.X.String(), nil), true
	}
	target := r.Pointee(p.Type)
	if a, ok := btf.Strip(p.Type).(*btf.Array); ok {
		return r.element(p, &spec.Index{X: x.X, Span: x.Span}, a.Type)
	}
	if target == nil {
		r.fn.Fail(x.Span, "", "%s is %s, not a pointer", x.X, btf.Name(p.Type))
		return p, false
	}
	if _, void := btf.Strip(target).(*btf.Void); void {
		r.fn.FailFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("*(u64 *)%s", x.X)}, "cast it: ", "%s is a void pointer", x.X)
		return p, false
	}
	return p.Follow(x.X.String(), target), true
}
