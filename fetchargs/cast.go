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
		p.mem, p.typ = false, &btf.Pointer{Target: btf.OrVoid(p.typ)}
		return p, true
	case !p.mem:
		r.Fail(x.Span, "", "%s is not behind a pointer: its address cannot be fetched", x.X)
		return p, false
	case p.bitSize > 0:
		r.Fail(x.Span, "", "%s is a bit field and has no address", x.X)
		return p, false
	}
	// The kernel cannot add: fetch the pointer, add off after reading.
	p.mem, p.text = false, false
	p.labels = p.labels[:len(p.labels)-1]
	p.typ = &btf.Pointer{Target: p.typ}
	return p, true
}

// withType walks to x and looks up the type name.
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
	if p.isObject() && btf.Pointee(t) != nil { // not a pointer, so its address is meant
		p.mem, p.typ = false, t
		return p, true
	}
	if btf.IsStruct(t) {
		object := x.X.String()
		if p.isUntyped() {
			object = "&" + object
		}
		r.FailFix(x.Type.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("(%s *)%s", spec.CanonicalType(x.Type.Text), object)}, "write ", "a cast to a struct needs a pointer")
		return p, false
	}
	if p.typ != nil && btf.Pointee(t) != nil && !p.inReg {
		if _, isArray := btf.Strip(p.typ).(*btf.Array); isArray {
			r.FailFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("(%s)&%s", spec.CanonicalType(x.Type.Text), x.X)}, "write ", "%s is an array; cast its address", x.X)
			return p, false
		}
		if size, _ := btf.Size(p.typ); size != 8 {
			r.Fail(x.Span, "", "%s is %s, too narrow for a pointer", x.X, btf.Name(p.typ))
			return p, false
		}
	}
	if p.typ != nil && btf.IsBool(t) && !btf.IsBool(p.typ) { // it would fetch only the lowest byte
		r.Fail(x.Span, fmt.Sprintf("compare it: %s != 0", x.X), "a cast to %s cannot be fetched", btf.Name(t))
		return p, false
	}
	if p.typ != nil && btf.IsNumber(p.typ) && btf.IsNumber(t) && !p.inReg {
		return r.castNumber(p, x, t)
	}
	if size, known := btf.Size(t); p.typ != nil && known && (p.inReg || !btf.IsStruct(p.typ)) {
		if old, _ := btf.Size(p.typ); size > old {
			r.Fail(x.Span, "", "%s has %d bytes, %s has %d", x.X, old, btf.Name(t), size)
			return p, false
		}
	}
	p.typ, p.text, p.set, p.wide = t, false, "", nil
	if p, ok = p.settle(); !ok {
		r.Fail(x.Span, "", "%s is passed in registers, and this part of it cannot be fetched", x.X)
	}
	return p, ok
}

// castNumber casts an integer to another integer type, with the value that C gives it.
func (r *resolver) castNumber(p route, x *spec.Cast, t btf.Type) (route, bool) {
	size, _ := btf.Size(t)
	bits, have := uint32(size)*8, p.bitSize
	if old, _ := btf.Size(p.typ); have == 0 {
		have = uint32(old) * 8
	}
	wide, _ := btf.Size(btf.OrVoid(p.wide))
	switch {
	case size > 8:
		r.Fail(x.Span, "", "%s has %d bytes, %s has %d", x.X, have/8, btf.Name(t), size)
		return p, false
	case p.wide != nil && size > wide && btf.Signed(p.typ) && !btf.Signed(p.wide):
		r.Fail(x.Span, "", "%s is signed, and cannot be cast to %s by way of %s", x.X.(*spec.Cast).X, btf.Name(t), btf.Name(p.wide))
		return p, false
	case bits > have:
		if p.wide = t; btf.IsBigEndian(p.typ) { // the names of a set do not apply to bytes in the other order
			p.set = ""
		}
		return p, true
	}
	if p.bitSize > 0 {
		p.bitSize = bits
	}
	p.typ, p.text, p.set, p.wide = t, false, "", nil
	return p, true
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
	if p.typ != nil && btf.Pointee(p.typ) == nil {
		r.Fail(x.X.Where(), "", "%s is %s, not a pointer", x.X, btf.Name(p.typ))
		return p, false
	}
	p = p.load(x.X.String())
	p.off -= off
	p.text = false
	p.typ = &btf.Pointer{Target: t}
	return p, true
}

// pointee returns what t points to, with its members even if the BTF at hand only
// declares the type.
func (r *resolver) pointee(t btf.Type) btf.Type {
	target := btf.Pointee(t)
	if target == nil {
		return nil
	}
	return r.target.Kernel.Complete(target)
}
