package route

import (
	"fmt"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

func (r *Walker) addr(x *spec.Addr) (Route, *spec.Error) {
	p, err := r.Walk(x.X)
	if err != nil {
		return p, err
	}
	switch {
	case p.IsAddress(): // of a function, as in C
		return p, nil
	case p.OfVariable() && p.Mem && len(p.Hops) == 0 && p.BitSize == 0:
		p.Mem, p.Type = false, &btf.Pointer{Target: btf.OrVoid(p.Type)}
		return p, nil
	case !p.Mem:
		return p, spec.Errorf(x.Span, "", "%s is not read through a pointer: its address cannot be fetched", x.X)
	case p.BitSize > 0:
		return p, spec.Errorf(x.Span, "", "%s is a bit field and has no address", x.X)
	}
	// The kernel cannot add: fetch the pointer, add off after reading.
	p.Mem, p.Text = false, false
	p.Labels = p.Labels[:len(p.Labels)-1]
	p.Type = &btf.Pointer{Target: p.Type}
	return p, nil
}

// withType walks to x and looks up the type name.
func (r *Walker) withType(x spec.Expr, name spec.Name) (Route, btf.Type, *spec.Error) {
	p, err := r.Walk(x)
	if err != nil {
		return p, nil, err
	}
	t, err := r.TypeNamed(name)
	return p, t, err
}

func (r *Walker) cast(x *spec.Cast) (Route, *spec.Error) {
	p, t, err := r.withType(x.X, x.Type)
	if err != nil {
		return p, err
	}
	if p.isObject() && btf.Pointee(t) != nil { // not a pointer, so its address is meant
		p.Mem, p.Type = false, t
		return p, nil
	}
	if err := uncastable(p, x, t); err != nil {
		return p, err
	}
	if p.Type != nil && btf.IsNumber(p.Type) && btf.IsNumber(t) && !p.InReg {
		return r.castNumber(p, x, t)
	}
	if size, known := btf.Size(t); p.Type != nil && known && (p.InReg || !btf.IsStruct(p.Type)) {
		if old, _ := btf.Size(p.Type); size > old {
			return p, spec.Errorf(x.Span, "", "%s has %s, %s has %d", x.X, plural.Of(old, "byte"), btf.Name(t), size)
		}
	}
	p.Type, p.Text, p.Set, p.Wide = t, false, "", nil
	return p.settled(x.Span, x.X)
}

// uncastable returns why p cannot be cast to t, nil if it can.
func uncastable(p Route, x *spec.Cast, t btf.Type) *spec.Error {
	switch {
	case btf.IsStruct(t):
		object := x.X.String()
		if p.IsUntyped() {
			object = "&" + object
		}
		return spec.ErrorFix(x.Type.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("(%s *)%s", spec.CanonicalType(x.Type.Text), object)}, "write ", "a cast to a struct needs a pointer")
	case p.Type == nil:
	case btf.Pointee(t) != nil && !p.InReg:
		if _, isArray := btf.Strip(p.Type).(*btf.Array); isArray {
			return spec.ErrorFix(x.Span, spec.Fix{Span: x.Span, Text: fmt.Sprintf("(%s)&%s", spec.CanonicalType(x.Type.Text), x.X)}, "write ", "%s is an array; cast its address", x.X)
		}
		if size, _ := btf.Size(p.Type); size != 8 {
			return spec.Errorf(x.Span, "", "%s is %s, too narrow for a pointer", x.X, btf.Name(p.Type))
		}
	case btf.IsBool(t) && !btf.IsBool(p.Type): // it would fetch only the lowest byte
		return spec.Errorf(x.Span, fmt.Sprintf("compare it: %s != 0", x.X), "a cast to %s cannot be fetched", btf.Name(t))
	}
	return nil
}

// castNumber casts an integer to another integer type, with the value that C gives it.
func (r *Walker) castNumber(p Route, x *spec.Cast, t btf.Type) (Route, *spec.Error) {
	size, _ := btf.Size(t)
	bits, have := uint32(size)*8, p.BitSize
	if old, _ := btf.Size(p.Type); have == 0 {
		have = uint32(old) * 8
	}
	wide, _ := btf.Size(p.Wide)
	switch {
	case size > 8:
		return p, spec.Errorf(x.Span, "", "%s has %s, %s has %d", x.X, plural.Of(have/8, "byte"), btf.Name(t), size)
	case p.Wide != nil && size > wide && btf.Signed(p.Type) && !btf.Signed(p.Wide):
		return p, spec.Errorf(x.Span, "", "%s is signed, and cannot be cast to %s by way of %s", x.X.(*spec.Cast).X, btf.Name(t), btf.Name(p.Wide))
	case bits > have:
		if p.Wide = t; btf.IsBigEndian(p.Type) { // the names of a set do not apply to bytes in the other order
			p.Set = ""
		}
		return p, nil
	}
	if p.BitSize > 0 {
		p.BitSize = bits
	}
	p.Type, p.Text, p.Set, p.Wide = t, false, "", nil
	return p, nil
}

func (r *Walker) containerOf(x *spec.ContainerOf) (Route, *spec.Error) {
	p, t, err := r.withType(x.X, x.Type)
	if err != nil {
		return p, err
	}
	if target := r.Pointee(t); target != nil {
		t = target
	}
	off, at := int64(0), t
	for _, name := range x.Member {
		m, err := btf.Member(at, name.Text)
		switch {
		case err != nil:
			return p, noMember(name, at, err)
		case m.BitSize > 0:
			return p, spec.Errorf(name.Span, "", "%s is a bit field and has no address", name.Text)
		}
		off, at = off+int64(m.Offset), m.Type
	}
	if p.Type != nil && btf.Pointee(p.Type) == nil {
		return p, spec.Errorf(x.X.Where(), "", "%s is %s, not a pointer", x.X, btf.Name(p.Type))
	}
	p = p.load(x.X.String())
	p.Off -= off
	p.Text = false
	p.Type = &btf.Pointer{Target: t}
	return p, nil
}
