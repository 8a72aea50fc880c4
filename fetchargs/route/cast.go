package route

import (
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

func (r *Walker) addr(x *spec.Addr) (Route, bool) {
	p, ok := r.Walk(x.X)
	if !ok {
		return p, false
	}
	switch {
	case p.IsAddress(): // of a function, as in C
		return p, true
	case p.OfVariable() && p.Mem && len(p.Hops) == 0 && p.BitSize == 0:
		p.Mem, p.Type = false, &btf.Pointer{Target: btf.OrVoid(p.Type)}
		return p, true
	case !p.Mem:
		r.fn.Fail(x.Span, "", "%s is not behind a pointer: its address cannot be fetched", x.X)
		return p, false
	case p.BitSize > 0:
		r.fn.Fail(x.Span, "", "%s is a bit field and has no address", x.X)
		return p, false
	}
	// The kernel cannot add: fetch the pointer, add off after reading.
	p.Mem, p.Text = false, false
	p.Labels = p.Labels[:len(p.Labels)-1]
	p.Type = &btf.Pointer{Target: p.Type}
	return p, true
}

// withType walks to x and looks up the type name.
func (r *Walker) withType(x spec.Expr, name spec.Name) (Route, btf.Type, bool) {
	p, ok := r.Walk(x)
	if !ok {
		return p, nil, false
	}
	t, ok := r.TypeNamed(name)
	return p, t, ok
}

func (r *Walker) cast(x *spec.Cast) (Route, bool) {
	p, t, ok := r.withType(x.X, x.Type)
	if !ok {
		return p, false
	}
	if p.isObject() && btf.Pointee(t) != nil { // not a pointer, so its address is meant
		p.Mem, p.Type = false, t
		return p, true
	}
	if btf.IsStruct(t) {
		object := x.X.String()
		if p.IsUntyped() {
			object = "&" + object
		}
		r.fn.FailFix(x.Type.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("(%s *)%s", spec.CanonicalType(x.Type.Text), object)}, "write ", "a cast to a struct needs a pointer")
		return p, false
	}
	if p.Type != nil && btf.Pointee(t) != nil && !p.InReg {
		if _, isArray := btf.Strip(p.Type).(*btf.Array); isArray {
			r.fn.FailFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("(%s)&%s", spec.CanonicalType(x.Type.Text), x.X)}, "write ", "%s is an array; cast its address", x.X)
			return p, false
		}
		if size, _ := btf.Size(p.Type); size != 8 {
			r.fn.Fail(x.Span, "", "%s is %s, too narrow for a pointer", x.X, btf.Name(p.Type))
			return p, false
		}
	}
	if p.Type != nil && btf.IsBool(t) && !btf.IsBool(p.Type) { // it would fetch only the lowest byte
		r.fn.Fail(x.Span, fmt.Sprintf("compare it: %s != 0", x.X), "a cast to %s cannot be fetched", btf.Name(t))
		return p, false
	}
	if p.Type != nil && btf.IsNumber(p.Type) && btf.IsNumber(t) && !p.InReg {
		return r.castNumber(p, x, t)
	}
	if size, known := btf.Size(t); p.Type != nil && known && (p.InReg || !btf.IsStruct(p.Type)) {
		if old, _ := btf.Size(p.Type); size > old {
			r.fn.Fail(x.Span, "", "%s has %d bytes, %s has %d", x.X, old, btf.Name(t), size)
			return p, false
		}
	}
	p.Type, p.Text, p.Set, p.Wide = t, false, "", nil
	if p, ok = p.Settle(); !ok {
		r.fn.Fail(x.Span, "", "%s is passed in registers, and this part of it cannot be fetched", x.X)
	}
	return p, ok
}

// castNumber casts an integer to another integer type, with the value that C gives it.
func (r *Walker) castNumber(p Route, x *spec.Cast, t btf.Type) (Route, bool) {
	size, _ := btf.Size(t)
	bits, have := uint32(size)*8, p.BitSize
	if old, _ := btf.Size(p.Type); have == 0 {
		have = uint32(old) * 8
	}
	wide, _ := btf.Size(btf.OrVoid(p.Wide))
	switch {
	case size > 8:
		r.fn.Fail(x.Span, "", "%s has %d bytes, %s has %d", x.X, have/8, btf.Name(t), size)
		return p, false
	case p.Wide != nil && size > wide && btf.Signed(p.Type) && !btf.Signed(p.Wide):
		r.fn.Fail(x.Span, "", "%s is signed, and cannot be cast to %s by way of %s", x.X.(*spec.Cast).X, btf.Name(t), btf.Name(p.Wide))
		return p, false
	case bits > have:
		if p.Wide = t; btf.IsBigEndian(p.Type) { // the names of a set do not apply to bytes in the other order
			p.Set = ""
		}
		return p, true
	}
	if p.BitSize > 0 {
		p.BitSize = bits
	}
	p.Type, p.Text, p.Set, p.Wide = t, false, "", nil
	return p, true
}

func (r *Walker) containerOf(x *spec.ContainerOf) (Route, bool) {
	p, t, ok := r.withType(x.X, x.Type)
	if !ok {
		return p, false
	}
	if target := r.Pointee(t); target != nil {
		t = target
	}
	off, at := int64(0), t
	for _, name := range x.Member {
		m, err := btf.Member(at, name.Text)
		switch {
		case err != nil:
			r.noMember(name, at, err)
			return p, false
		case m.BitSize > 0:
			r.fn.Fail(name.Span, "", "%s is a bit field and has no address", name.Text)
			return p, false
		}
		off, at = off+int64(m.Offset), m.Type
	}
	if p.Type != nil && btf.Pointee(p.Type) == nil {
		r.fn.Fail(x.X.Where(), "", "%s is %s, not a pointer", x.X, btf.Name(p.Type))
		return p, false
	}
	p = p.load(x.X.String())
	p.Off -= off
	p.Text = false
	p.Type = &btf.Pointer{Target: t}
	return p, true
}
