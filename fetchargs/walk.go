package fetchargs

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

// walk finds the place of an expression's value. A false result means that
// the error has been noted.
func (r *resolver) walk(x Expr) (place, bool) {
	switch x := x.(type) {
	case *Ident:
		return r.ident(x)
	case *Member:
		return r.member(x)
	case *Index:
		return r.index(x)
	case *Deref:
		return r.deref(x)
	case *Addr:
		return r.addr(x)
	case *Cast:
		return r.cast(x)
	case *ContainerOf:
		return r.containerOf(x)
	case *Symbol:
		return place{base: "@" + x.Text, data: true, mem: true, typ: r.variable(x.Text)}, true
	case *Builtin:
		return r.builtin(x)
	}
	panic(fmt.Sprintf("fetchargs: unknown expression %T", x))
}

func (r *resolver) ident(x *Ident) (place, bool) {
	if x.Text == "return" {
		return r.result(x)
	}
	for i, param := range r.fn.Params {
		if param.Name != x.Text {
			continue
		}
		if err := r.paramErrs[i]; err != nil {
			r.failWith(x.Span, err, "%REG and $stackN fetch by place, if you know it", "cannot fetch %s: %v", x.Text, err)
			return place{}, false
		}
		return r.params[i], true
	}
	r.noParameter(x)
	return place{}, false
}

func (r *resolver) result(x *Ident) (place, bool) {
	if isVoid(r.fn.Return) {
		r.fail(x.Span, "its prototype: "+r.fn.String(), "%s returns nothing", r.fn.Name)
		return place{}, false
	}
	p := place{typ: r.fn.Return, base: "$retval", ret: true}
	if size, _ := btf.Size(p.typ); isStruct(p.typ) {
		if size > 8 {
			r.fail(x.Span, "", "%s returns %s by value, which cannot be fetched", r.fn.Name, btf.Name(p.typ))
			return place{}, false
		}
		p.inReg = true
	}
	return p, true
}

func (r *resolver) noParameter(x *Ident) {
	names := make([]string, len(r.fn.Params))
	for i, p := range r.fn.Params {
		names[i] = p.Name
	}
	hint := r.fn.Name + " has no parameters"
	if len(names) > 0 {
		hint = "parameters: " + strings.Join(names, ", ")
	}
	r.fail(x.Span, didYouMean(btf.Near(x.Text, slices.Values(names)), hint), "%s has no parameter %q", r.fn.Name, x.Text)
}

// into makes ready to go into the struct that x is or points to.
func (r *resolver) into(x Expr, what Span, verb string) (place, bool) {
	p, ok := r.walk(x)
	if !ok {
		return p, false
	}
	if p.bitSize > 0 && !p.inReg {
		r.fail(x.Where(), "", "%s is a bit field and has no members", x)
		return p, false
	}
	of := p.typ
	for depth := 0; depth < 2; depth++ {
		if p.typ == nil {
			r.fail(x.Where(), fmt.Sprintf("cast it: ((struct TYPE *)%s)->...", x), "the type of %s is not known", x)
			return p, false
		}
		if isStruct(p.typ) {
			return p, true
		}
		target := r.pointee(p.typ)
		if target == nil || depth > 0 {
			break
		}
		p = p.follow(x.String(), target)
	}
	hint := ""
	if _, isPtr := btf.Strip(p.typ).(*btf.Pointer); isPtr {
		hint = fmt.Sprintf("dereference it first: (*%s)->...", x)
	} else if _, void := btf.Strip(p.typ).(*btf.Void); void {
		hint = fmt.Sprintf("cast it: ((struct TYPE *)%s)->...", x)
	} else if _, fwd := btf.Strip(p.typ).(*btf.Fwd); fwd {
		hint = "this kernel's BTF only declares it; a module may define it: give its BTF with --btf"
	}
	r.fail(what, hint, "%s is %s and has no members to %s", x, btf.Name(of), verb)
	return p, false
}

func (r *resolver) member(x *Member) (place, bool) {
	p, ok := r.into(x.X, x.Name.Span, "go into")
	if !ok {
		return p, false
	}
	m, err := btf.Member(p.typ, x.Name.Text)
	if err != nil {
		r.noMember(x.Name, p.typ, err)
		return p, false
	}
	if p, ok = p.member(m).settle(); !ok {
		r.fail(x.Where(), "", "%s is passed in registers, and this part of it cannot be fetched", x.X)
	}
	return p, ok
}

func (r *resolver) noMember(name Name, t btf.Type, err error) {
	var missing *btf.NotFoundError
	if !errors.As(err, &missing) {
		r.failWith(name.Span, err, "", "%v", err)
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
	r.failWith(name.Span, err, didYouMean(missing.Near, hint), "%s has no member %q", btf.Name(btf.Strip(t)), name.Text)
}

func (r *resolver) index(x *Index) (place, bool) {
	p, ok := r.walk(x.X)
	if !ok {
		return p, false
	}
	if p.typ != nil {
		if a, ok := btf.Strip(p.typ).(*btf.Array); ok {
			if a.Nelems > 0 && (x.N < 0 || x.N >= int64(a.Nelems)) {
				r.fail(x.Span, fmt.Sprintf("the last is [%d]", a.Nelems-1), "%s has %d elements", x.X, a.Nelems)
				return p, false
			}
			return r.element(p, x, a.Type)
		}
		if target := r.pointee(p.typ); target != nil {
			if _, void := btf.Strip(target).(*btf.Void); !void {
				return r.element(p.follow(x.X.String(), target), x, target)
			}
		}
	}
	r.fail(x.Span, "", "%s is %s: only arrays and pointers have elements", x.X, typeName(p.typ))
	return p, false
}

func (r *resolver) element(p place, x *Index, t btf.Type) (place, bool) {
	size, ok := btf.Size(t)
	if !ok {
		r.fail(x.Span, "", "the size of %s is not known", btf.Name(t))
		return p, false
	}
	return p.at(x.N*int64(size), t), true
}

func (r *resolver) deref(x *Deref) (place, bool) {
	p, ok := r.walk(x.X)
	if !ok {
		return p, false
	}
	if p.typ == nil { // a register: 64 bits of memory
		return p.follow(x.X.String(), nil), true
	}
	target := r.pointee(p.typ)
	if a, ok := btf.Strip(p.typ).(*btf.Array); ok {
		return p.at(0, a.Type), true
	}
	if target == nil {
		r.fail(x.Span, "", "%s is %s, not a pointer", x.X, btf.Name(p.typ))
		return p, false
	}
	if _, void := btf.Strip(target).(*btf.Void); void {
		r.fail(x.Span, fmt.Sprintf("cast it: *(u64 *)%s", x.X), "%s is a void pointer", x.X)
		return p, false
	}
	return p.follow(x.X.String(), target), true
}

func (r *resolver) addr(x *Addr) (place, bool) {
	p, ok := r.walk(x.X)
	if !ok {
		return p, false
	}
	switch {
	case !p.mem || p.data && len(p.hops) == 0:
		r.fail(x.Span, "", "%s is not behind a pointer: its address cannot be fetched", x.X)
		return p, false
	case p.bitSize > 0:
		r.fail(x.Span, "", "%s is a bit field and has no address", x.X)
		return p, false
	}
	// The kernel cannot add: fetch the pointer, add off after reading.
	p.mem = false
	p.labels = p.labels[:len(p.labels)-1]
	p.typ = &btf.Pointer{Target: p.typ}
	return p, true
}

func (r *resolver) cast(x *Cast) (place, bool) {
	p, ok := r.walk(x.X)
	if !ok {
		return p, false
	}
	t, ok := r.typeNamed(x.Type)
	if !ok {
		return p, false
	}
	if isStruct(t) {
		r.fail(x.Type.Span, fmt.Sprintf("(%s *)%s", canonicalType(x.Type.Text), x.X), "a cast to a struct needs a pointer")
		return p, false
	}
	if p.typ != nil && pointee(t) != nil && !p.inReg {
		if _, isArray := btf.Strip(p.typ).(*btf.Array); isArray {
			r.fail(x.Span, fmt.Sprintf("(%s)&%s", canonicalType(x.Type.Text), x.X), "%s is an array; cast its address", x.X)
			return p, false
		}
		if size, _ := btf.Size(p.typ); size != 8 {
			r.fail(x.Span, "", "%s is %s, too narrow for a pointer", x.X, btf.Name(p.typ))
			return p, false
		}
	}
	if size, known := btf.Size(t); p.typ != nil && known && !isStruct(p.typ) {
		if old, _ := btf.Size(p.typ); size > old {
			r.fail(x.Span, "", "%s has %d bytes, %s has %d", x.X, old, btf.Name(t), size)
			return p, false
		}
	}
	p.typ = t
	return p, true
}

func (r *resolver) containerOf(x *ContainerOf) (place, bool) {
	p, ok := r.walk(x.X)
	if !ok {
		return p, false
	}
	t, ok := r.typeNamed(x.Type)
	if !ok {
		return p, false
	}
	if target := r.pointee(t); target != nil {
		t = target
	}
	off, at := int64(0), t
	for _, name := range x.Member {
		m, err := btf.Member(at, name.Text)
		if err != nil || m.BitSize > 0 {
			r.noMember(name, at, err)
			return p, false
		}
		off, at = off+int64(m.Offset), m.Type
	}
	if p.typ != nil && pointee(p.typ) == nil {
		r.fail(x.X.Where(), "", "%s is %s, not a pointer", x.X, btf.Name(p.typ))
		return p, false
	}
	p = p.load()
	p.off -= off
	p.typ = &btf.Pointer{Target: t}
	return p, true
}

func (r *resolver) builtin(x *Builtin) (place, bool) {
	name := x.Text
	p := place{base: name}
	switch {
	case name[0] == '%', name == "$stack":
		return p, true
	case name == "$comm":
		p.typ = r.charArray(16)
		return p, true
	case name == "$retval":
		p.ret = true
		return p, true
	}
	for _, prefix := range []string{"$arg", "$stack"} {
		digits, ok := strings.CutPrefix(name, prefix)
		if n, err := strconv.Atoi(digits); ok && err == nil && (n > 0 || prefix == "$stack") {
			if prefix == "$arg" && n <= len(r.target.Arch.Regs) {
				p.base = r.register(n - 1)
			}
			return p, true
		}
	}
	r.fail(x.Span, "there are $comm, $argN, $stackN, $stack and $retval", "unknown variable %s", name)
	return place{}, false
}

// pointee is what t points to, with its members even where the BTF at hand
// only declares it.
func (r *resolver) pointee(t btf.Type) btf.Type {
	target := pointee(t)
	if target == nil {
		return nil
	}
	return r.target.Kernel.Complete(target)
}

func isVoid(t btf.Type) bool {
	if t == nil {
		return true
	}
	_, void := btf.Strip(t).(*btf.Void)
	return void
}

func typeName(t btf.Type) string {
	if t == nil {
		return "a register of unknown type"
	}
	return btf.Name(t)
}
