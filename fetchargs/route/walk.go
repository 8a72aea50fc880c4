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

// Walk returns the route to the value of an expression.
func (r *Walker) Walk(x spec.Expr) (Route, *spec.Error) {
	if r.depth++; r.depth > spec.MaxNesting {
		r.depth--
		return Route{}, spec.ErrorWith(x.Where(), spec.ErrNesting, "write fewer steps: those of the items that names stand for count as well", "more than %d steps lead to this value", spec.MaxNesting)
	}
	defer func() { r.depth-- }()
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
		return Route{}, spec.Errorf(x.Span, "", "%s(...) is %s, not a value of the call", x.Word(), spec.ValueOf(x.Who))
	}
	panic(fmt.Sprintf("fetchargs: unknown expression %T", x))
}

func (r *Walker) ident(x *spec.Ident) (Route, *spec.Error) {
	if x.Text == "return" {
		return r.result(x)
	}
	item, err := r.ItemNamed(x)
	switch {
	case err != nil:
		return Route{}, err
	case item != nil:
		inside := *r
		inside.naming = item
		return inside.Walk(item.Expr)
	}
	for i, param := range r.fn.Proto.Params {
		if param.Name != x.Text {
			continue
		}
		if err := r.ParamErrs[i]; err != nil {
			hint := ""
			if r.fn.Source.AtFunctions() {
				hint = "name the register or the word of the stack if you know it: %" + r.fn.Target.Arch.Registers[0] + ", $stack1"
			}
			return Route{}, spec.ErrorWith(x.Span, err, hint, "cannot fetch %s: %v", x.Text, err)
		}
		p := r.Params[i]
		if p.Set == "" {
			p.Set = value.SetOfParam(r.fn.Proto.Name, param.Name)
		}
		if p.Name = param.Name; r.fn.Call != nil {
			p.Use = value.UsageOf(r.fn.Call.Name, param.Name)
		}
		return p, nil
	}
	return Route{}, r.noParameter(x)
}

func (r *Walker) result(x *spec.Ident) (Route, *spec.Error) {
	if !r.fn.Source.Returns() {
		return Route{}, spec.Errorf(x.Span, "", "%s does not return: it has no result", r.fn.Proto.Name)
	}
	if r.fn.Proto.Untyped {
		return Route{Base: dynevent.Base{Kind: dynevent.Retval}, Return: true, Name: "return"}, nil
	}
	if btf.IsVoid(r.fn.Proto.Return) {
		return Route{}, spec.Errorf(x.Span, "leave it out: the prototype is "+r.fn.Proto.String(), "%s returns nothing", r.fn.Proto.Name)
	}
	p := Route{Type: r.fn.Proto.Return, Base: dynevent.Base{Kind: dynevent.Retval}, Return: true, Name: "return"}
	if btf.IsStruct(p.Type) {
		regs, err := r.fn.Target.Arch.Result(p.Type)
		if err != nil {
			return Route{}, spec.Errorf(x.Span, "", "%s returns %s by value, which cannot be fetched: %v", r.fn.Proto.Name, btf.Name(p.Type), err)
		}
		if p.InReg = true; regs > 1 {
			p.Base2 = dynevent.Base{Kind: dynevent.Register, Name: r.fn.Target.Arch.Results[1]}
		}
	}
	return p, nil
}

// into returns the route to the struct that x is or points to.
func (r *Walker) into(x spec.Expr, what spec.Span, verb string) (Route, *spec.Error) {
	p, err := r.Walk(x)
	if err == nil {
		err = p.isOfOne(x)
	}
	if err != nil {
		return p, err
	}
	if p.BitSize > 0 && !p.InReg {
		return p, spec.Errorf(x.Where(), "", "%s is a bit field and has no members", x)
	}
	of := p.Type
	for depth := 0; depth < 2; depth++ {
		if p.Type == nil {
			if p.IsUntyped() {
				return p, spec.Errorf(x.Where(), p.structHint(), "the type of %s is not known", x)
			}
			return p, spec.ErrorFix(x.Where(), spec.Fix{Span: x.Where(), Text: fmt.Sprintf("((struct TYPE *)%s)", x)}, "cast it: ", "the type of %s is not known", x)
		}
		if btf.IsStruct(p.Type) {
			return p, nil
		}
		target := r.Pointee(p.Type)
		if target == nil || depth > 0 {
			break
		}
		p = p.Follow(x.String(), target)
	}
	hint := ""
	if _, fwd := btf.Strip(p.Type).(*btf.Fwd); fwd {
		hint = "give BTF of a module that defines it with --btf FILE: this kernel's only declares it"
	}
	err = spec.Errorf(what, hint, "%s is %s and has no members to %s", x, btf.Name(of), verb)
	if target := r.Pointee(p.Type); target != nil && btf.IsStruct(target) {
		err.Mend(x.Where(), "dereference it first: ", fmt.Sprintf("(*%s)", x))
		return p, err
	}
	cast := ""
	size, _ := btf.Size(of)
	switch _, void := btf.Strip(p.Type).(*btf.Void); {
	case void:
		cast = "cast it: "
	case hint != "":
	case r.Pointee(of) != nil:
		cast = "if it points to a struct, cast it: "
	case size == 8:
		cast = "if it is an address, cast it: "
	}
	if cast != "" {
		err.Mend(x.Where(), cast, fmt.Sprintf("((struct TYPE *)%s)", x))
	}
	return p, err
}

func (r *Walker) member(x *spec.Member) (Route, *spec.Error) {
	p, err := r.into(x.X, x.Name.Span, "go into")
	if err != nil {
		return p, err
	}
	m, missing := btf.Member(p.Type, x.Name.Text)
	if missing != nil {
		return p, noMember(x.Name, p.Type, missing)
	}
	text, set, boot := value.IsTextMember(p.Type, x.Name.Text), value.SetOfMember(p.Type, x.Name.Text), value.IsBootStamp(p.Type, x.Name.Text)
	p, err = p.Member(m).settled(x.Where(), x.X)
	p.Name, p.Text, p.Set, p.Boot = x.Name.Text, text, set, boot
	return p, err
}

// noMember returns the error that t has no member name, which err says.
func noMember(name spec.Name, t btf.Type, err error) *spec.Error {
	var missing *btf.NotFoundError
	if !errors.As(err, &missing) {
		return spec.ErrorWith(name.Span, err, "", "%v", err)
	}
	list := btf.Members(t)
	const most = 12
	hint := "choose a member: " + strings.Join(list[:min(most, len(list))], ", ")
	if n := len(list) - most; n > 0 {
		hint += fmt.Sprintf(" and %d more (tsnoop info '%s')", n, btf.Name(btf.Strip(t)))
	}
	if len(missing.Suggestions) > 0 {
		hint = ""
	}
	return spec.ErrorWith(name.Span, err, spec.DidYouMean(missing.Suggestions, hint), "%s has no member %q", btf.Name(btf.Strip(t)), name.Text)
}

func (r *Walker) index(x *spec.Index) (Route, *spec.Error) {
	p, elem, n, err := r.elementsOf(x.X, x, x.N)
	if err != nil {
		return p, err
	}
	if n > 0 && (x.N < 0 || x.N >= n) {
		return p, spec.ErrorFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("%s[%d]", spec.Postfixed(x.X), n-1)}, "use the last: ", "%s has %d elements", x.X, n)
	}
	return r.element(p, x, elem)
}

// elementsOf returns the route to the first element of of, an array or a pointer, the
// type of the elements, and their number, 0 if that is not known. x is the whole
// expression, for one or several elements starting at first.
func (r *Walker) elementsOf(of, x spec.Expr, first int64) (p Route, elem btf.Type, n int64, err *spec.Error) {
	if p, err = r.Walk(of); err != nil {
		return p, nil, 0, err
	}
	if p.Type != nil {
		if a, ok := btf.Strip(p.Type).(*btf.Array); ok {
			return p, a.Type, int64(a.Nelems), nil
		}
		if target := r.Pointee(p.Type); target != nil {
			if err := p.isOfOne(of); err != nil {
				return p, nil, 0, err
			}
			if btf.IsVoid(target) {
				target = r.declared(of)
			}
			if !btf.IsVoid(target) {
				return p.Follow(of.String(), target), target, 0, nil
			}
		}
	}
	if p.IsUntyped() {
		return p, nil, 0, spec.Errorf(x.Where(), fmt.Sprintf("cast its address: ((TYPE *)&%s)[%d]", p.Base.Words(), first), "the type of %s is not known", of)
	}
	hint := ""
	if inner, ok := of.(*spec.Index); ok {
		hint = fmt.Sprintf("write one index, since BTF has an array of arrays as one: [%d][%d] of [N][M] is [%d*M+%d]", inner.N, first, inner.N, first)
	}
	err = spec.Errorf(x.Where(), hint, "%s is %s: only arrays and pointers have elements", of, value.TypeName(p.Type))
	if btf.Pointee(p.Type) != nil {
		bytes := &spec.Cast{Type: spec.Name{Text: "u8 *"}, X: of}
		switch x := x.(type) {
		case *spec.Range:
			cast := *x
			cast.X = bytes
			err.Mend(x.Span, "cast it: ", cast.String())
		case *spec.Index:
			cast := *x
			cast.X = bytes
			err.Mend(x.Span, "cast it: ", cast.String())
		}
	}
	return p, nil, 0, err
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

func (r *Walker) element(p Route, x *spec.Index, t btf.Type) (Route, *spec.Error) {
	size, ok := btf.Size(t)
	if !ok {
		return p, spec.Errorf(x.Span, "", "the size of %s is not known", btf.Name(t))
	}
	return p.At(x.N*int64(size), t).settled(x.Span, x.X)
}

func (r *Walker) deref(x *spec.Deref) (Route, *spec.Error) {
	p, err := r.Walk(x.X)
	if err == nil {
		err = p.isOfOne(x.X)
	}
	if err != nil {
		return p, err
	}
	if p.IsUntyped() {
		return p, spec.ErrorFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("*(u64 *)%s", x.X)}, "cast it: ", "the type of %s is not known", x.X)
	}
	if p.Type == nil { // a register: read 64 bits of memory
		return p.Follow(x.X.String(), nil), nil
	}
	target := r.Pointee(p.Type)
	if a, ok := btf.Strip(p.Type).(*btf.Array); ok {
		return r.element(p, &spec.Index{X: x.X, Span: x.Span}, a.Type)
	}
	if target == nil {
		return p, spec.Errorf(x.Span, "", "%s is %s, not a pointer", x.X, btf.Name(p.Type))
	}
	if _, void := btf.Strip(target).(*btf.Void); void {
		return p, spec.ErrorFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("*(u64 *)%s", x.X)}, "cast it: ", "%s is a void pointer", x.X)
	}
	return p.Follow(x.X.String(), target), nil
}
