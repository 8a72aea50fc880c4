package fetchargs

import (
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

func (r *resolver) addr(x *spec.Addr) (route, bool) {
	p, ok := r.walk(x.X)
	if !ok {
		return p, false
	}
	switch {
	case p.isAddress(): // of a function, as in C
		return p, true
	case p.ofVariable() && p.mem && len(p.hops) == 0 && p.bitSize == 0:
		p.mem, p.typ = false, &btf.Pointer{Target: orVoid(p.typ)}
		return p, true
	case !p.mem:
		r.fail(x.Span, "", "%s is not behind a pointer: its address cannot be fetched", x.X)
		return p, false
	case p.bitSize > 0:
		r.fail(x.Span, "", "%s is a bit field and has no address", x.X)
		return p, false
	}
	// The kernel cannot add: fetch the pointer, add off after reading.
	p.mem, p.text = false, false
	p.labels = p.labels[:len(p.labels)-1]
	p.typ = &btf.Pointer{Target: p.typ}
	return p, true
}

// withType walks to what a type is named for, and finds the type.
func (r *resolver) withType(x spec.Expr, name spec.Name) (route, btf.Type, bool) {
	p, ok := r.walk(x)
	if !ok {
		return p, nil, false
	}
	t, ok := r.typeNamed(name)
	return p, t, ok
}

func (r *resolver) cast(x *spec.Cast) (route, bool) {
	p, t, ok := r.withType(x.X, x.Type)
	if !ok {
		return p, false
	}
	if p.isObject() && pointee(t) != nil { // no pointer: its address is meant
		p.mem, p.typ = false, t
		return p, true
	}
	if isStruct(t) {
		object := x.X.String()
		if p.isUntyped() {
			object = "&" + object
		}
		r.failFix(x.Type.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("(%s *)%s", spec.CanonicalType(x.Type.Text), object)}, "write ", "a cast to a struct needs a pointer")
		return p, false
	}
	if p.typ != nil && pointee(t) != nil && !p.inReg {
		if _, isArray := btf.Strip(p.typ).(*btf.Array); isArray {
			r.failFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("(%s)&%s", spec.CanonicalType(x.Type.Text), x.X)}, "write ", "%s is an array; cast its address", x.X)
			return p, false
		}
		if size, _ := btf.Size(p.typ); size != 8 {
			r.fail(x.Span, "", "%s is %s, too narrow for a pointer", x.X, btf.Name(p.typ))
			return p, false
		}
	}
	if size, known := btf.Size(t); p.typ != nil && known && (p.inReg || !isStruct(p.typ)) {
		if old, _ := btf.Size(p.typ); size > old {
			if isNumber(p.typ) && isNumber(t) && size <= 8 {
				p.wide = t
				return p, true
			}
			r.fail(x.Span, "", "%s has %d bytes, %s has %d", x.X, old, btf.Name(t), size)
			return p, false
		}
	}
	p.typ, p.text, p.set, p.wide = t, false, "", nil
	if p, ok = p.settle(); !ok {
		r.fail(x.Span, "", "%s is passed in registers, and this part of it cannot be fetched", x.X)
	}
	return p, ok
}

// isNumber tells whether t is an integer or an enum.
func isNumber(t btf.Type) bool {
	switch btf.Strip(t).(type) {
	case *btf.Int, *btf.Enum:
		return true
	}
	return false
}

func (r *resolver) containerOf(x *spec.ContainerOf) (route, bool) {
	p, t, ok := r.withType(x.X, x.Type)
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
	p = p.from(x.X.String()).load()
	p.off -= off
	p.text = false
	p.typ = &btf.Pointer{Target: t}
	return p, true
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
