package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// An encoded is a field together with the fetcharg that fetches it.
type encoded struct {
	field  value.Field
	route  route
	at     spec.Span
	typ    dynevent.Type
	count  int            // elements of that type in the record, 0 if it is not an array
	next   []dynevent.Arg // fetch the rest of the value; nil if the route leads to all of it
	path   *pathFetch
	char   bool         // char is signed, though BTF does not say so
	short  bool         // the object may end before all that is read
	brief  bool         // the text ends after some hundred bytes at most
	length *lengthFetch // says how much of the object means something; nil if all does, and it is not behind a parameter
}

// encode decides how to fetch w, to which p leads: by its format, or else by its type.
func (r *resolver) encode(p route, w cond.Want, f *value.Format) (e encoded, ok bool) {
	e, x := encoded{route: p, at: w.X.Where()}, w.X
	switch {
	case f == nil && (p.mem || btf.Pointee(p.typ) != nil) && cond.HoldsText(p.typ, w.With):
		return r.encodeText(e, x, nil)
	case p.base.Kind == dynevent.Comm:
		e.field.Type, e.field.Encoding, e.field.Size, e.typ = p.typ, value.String, 4, dynevent.CommText
		return e, true
	case p.isUntyped():
		return r.encodeUntyped(e, x, f)
	case p.isAddress():
		if e.route, ok = r.constant(p, x); !ok {
			return e, false
		}
	}
	if f != nil && f.Shape != value.AnyNumber {
		return r.encodeShape(e, w, f)
	}
	e.route = lookThrough(e.route)
	if form, one := value.FormOf(btf.OrVoid(e.route.typ)); one && f == nil && btf.IsStruct(e.route.typ) {
		return r.encodeOne(e, w, form)
	}
	e.char = r.signedChar(e.route.typ)
	if p.typ == nil {
		return number(e, 8, f), true
	}
	switch t := btf.Strip(e.route.typ).(type) {
	case *btf.Int, *btf.Enum:
		size, _ := btf.Size(t)
		switch {
		case e.route.bitSize > 0:
			return r.encodeBits(e, x, size, f)
		case size != 1 && size != 2 && size != 4 && size != 8:
			r.FailFix(x.Where(), spec.Fix{Span: x.Where(), Text: x.String() + ":hex"}, "for its bytes write ", "%s is %s, which does not fit a fetcharg", x, btf.Name(e.route.typ))
			return e, false
		}
		return number(e, size, f), true
	case *btf.Pointer:
		if f == nil && (btf.IsText(t.Target) || e.route.text) && !w.Pointer {
			return r.encodeText(e, x, f)
		}
		return number(e, 8, f), true
	case *btf.Array:
		if f == nil && (btf.IsText(t.Type) || e.route.text) && e.route.mem {
			return r.encodeText(e, x, f)
		}
		if e.route.mem && btf.IsStruct(btf.Leaf(t)) && t.Nelems > 0 && !w.Hidden && w.With == nil {
			return r.encodeDump(e, w, f)
		}
		return r.encodeArray(e, x, t, f)
	}
	if (e.route.mem || e.route.inReg) && btf.IsStruct(e.route.typ) {
		return r.encodeDump(e, w, f)
	}
	r.cannotShow(e.route.typ, x)
	return e, false
}

// encodeShape is like encode, for a FORMAT that says what to fetch and not only how
// to show a number.
func (r *resolver) encodeShape(e encoded, w cond.Want, f *value.Format) (encoded, bool) {
	p, x := e.route, w.X
	switch f.Shape {
	case value.KernelText, value.UserText:
		if w.Pointer && btf.Pointee(p.typ) != nil {
			return number(e, 8, nil), true
		}
		return r.encodeText(e, x, f)
	case value.ByteArray:
		if f.Form == value.SockAddr {
			return r.encodeSockAddr(e, x)
		}
		return r.encodeBytes(e, x, f)
	case value.FilePath:
		return r.encodePath(e, w, f)
	case value.LastName:
		return r.encodeLastName(e, w, f)
	case value.Stamp:
		return r.encodeAge(e, x, f)
	case value.RawMemory:
		if size, _ := btf.Size(btf.OrVoid(p.typ)); p.mem && p.bitSize == 0 && size > dynevent.MaxElements && !w.Hidden {
			e.field.Type, e.field.Encoding, e.field.Size, e.field.Whole = p.typ, value.Dumped, 1, size
			e.typ = dynevent.X64
			return e, true
		}
		return r.encodeRaw(e, x, f)
	}
	return r.encodeFixed(e, x, f)
}

// lookThrough replaces a struct of one member, such as atomic_t or kuid_t, by that
// member.
func lookThrough(p route) route {
	for p.typ != nil && btf.IsStruct(p.typ) {
		if form, one := value.FormOf(p.typ); one && (form == value.Bits || form == value.IP6) {
			return p
		}
		names := btf.Members(p.typ)
		if len(names) != 1 {
			return p
		}
		m, err := btf.Member(p.typ, names[0])
		if err != nil {
			return p
		}
		inner, ok := p.member(m).settle()
		if !ok {
			return p
		}
		p = inner
	}
	return p
}

func (r *resolver) cannotShow(t btf.Type, x spec.Expr) {
	name := btf.Name(t)
	if !btf.IsStruct(t) {
		r.Fail(x.Where(), "", "%s is %s and has no value to show", x, name)
		return
	}
	r.FailWith(x.Where(), spec.ErrUnsupported, memberHint(t), "%s is a %s; showing all of it is not supported yet", x, name)
}

// number encodes an integer of size bytes. The C type decides its sign.
func number(e encoded, size int, f *value.Format) encoded {
	e.field.Type, e.field.Encoding, e.field.Size = e.route.typ, value.Integer, size
	kind := "u"
	switch {
	case f != nil && f.Signed && (e.route.typ == nil || btf.Pointee(e.route.typ) != nil): // signed as it is shown
		kind, e.field.Signed = "s", true
	case f != nil && f.Name == "sym", btf.Pointee(e.route.typ) != nil, f != nil && f.Name == "x" && e.route.wide == nil,
		e.route.typ == nil && (f == nil || f.Shape != value.FixedWidth):
		kind = "x"
	case f != nil && f.Signed, (f == nil || f.Form == value.Named || e.route.wide != nil) && (btf.Signed(e.route.typ) || e.char && btf.IsText(e.route.typ)):
		kind, e.field.Signed = "s", true
	}
	e.field.Add = 0
	if !e.route.mem {
		e.field.Add = e.route.off
	}
	e.typ = dynevent.Number(kind, size)
	return e
}

// signedChar reports whether t is char, or an array of char, and char is signed
// though BTF does not say so. The BTF of 5.10 does not mark even signed char. Since
// 6.2 char is unsigned everywhere, and BTF marks signed char.
func (r *resolver) signedChar(t btf.Type) bool {
	if a, ok := btf.AsArray(t); ok {
		t = a.Type
	}
	if t == nil || !btf.IsText(t) || !r.target.Arch.SignedChar {
		return false
	}
	t, err := r.target.Kernel.Type("signed char")
	if err != nil {
		return false
	}
	i, ok := t.(*btf.Int)
	return ok && i.Encoding == btf.Unsigned
}

func (r *resolver) encodeBits(e encoded, x spec.Expr, size int, f *value.Format) (encoded, bool) {
	p := &e.route
	want := uint32(size) * 8
	if !p.mem {
		want = 64
	}
	e.field.Type, e.field.Encoding, e.field.Bits = p.typ, value.BitField, int(p.bitSize)
	e.field.Signed = (f == nil || p.wide != nil) && btf.Signed(p.typ) || f != nil && f.Signed
	off, bits, shift, ok := p.container(want)
	if !ok {
		return e.splitBits(), true
	}
	e.field.Size = int(bits / 8)
	p.off = off
	e.typ = dynevent.Bits(p.bitSize, shift, int(bits/8))
	return e, true
}

// encodeText encodes a string: an array in place, or the text that a pointer points to.
func (r *resolver) encodeText(e encoded, x spec.Expr, f *value.Format) (encoded, bool) {
	p := e.route
	e.field.Type, e.field.Encoding, e.field.Size = p.typ, value.String, 4
	e.typ = dynevent.String
	array, isArray := btf.AsArray(p.typ)
	e.brief = p.text || isArray && p.mem && array.Nelems <= shortText && p.inKernel()
	switch size, _ := btf.ElemSize(array); {
	case isArray && p.inReg && size == 1:
		return r.encodeArray(e, x, array, nil)
	case isArray && p.mem && size == 1:
		e.field.Count = int(array.Nelems)
	case isArray:
		return e, r.doesNotFit(x, p.typ, f)
	case p.typ != nil && btf.Pointee(p.typ) == nil:
		return e, r.doesNotFit(x, p.typ, f)
	case !r.isOfOne(p, x):
		return e, false
	default:
		e.route = p.follow(x.String(), nil)
	}
	if f != nil && f.Shape == value.UserText || e.route.user {
		if !r.target.Features.Ustring {
			r.Fail(x.Where(), "", "this kernel cannot fetch from user memory (ustring came with 5.3)")
			return e, false
		}
		e.route.user, e.typ, e.brief = false, dynevent.Ustring, false
	}
	return e, true
}

// encodeBytes encodes an address of f.Size bytes: an array or a struct in place, or
// the bytes that a pointer points to.
func (r *resolver) encodeBytes(e encoded, x spec.Expr, f *value.Format) (encoded, bool) {
	p := e.route
	if p.typ == nil || btf.Pointee(p.typ) != nil {
		if !r.isOfOne(p, x) {
			return e, false
		}
		target := r.pointee(p.typ)
		p = p.follow(x.String(), target)
		if target == nil || btf.IsByte(target) || btf.IsVoid(target) {
			target = nil
		}
		p.typ = target
	}
	if size, known := btf.Size(btf.OrVoid(p.typ)); !p.mem && !p.inReg || p.typ != nil && known && size < f.Size || p.typ != nil && !known {
		return e, r.doesNotFit(x, e.route.typ, f)
	}
	return r.bytesOf(e, p, f.Size, x)
}

// encodeRaw encodes the bytes of an object, at most 64.
func (r *resolver) encodeRaw(e encoded, x spec.Expr, f *value.Format) (encoded, bool) {
	p := e.route
	size, known := btf.Size(btf.OrVoid(p.typ))
	switch {
	case p.bitSize > 0 && !p.mem && p.bitSize%8 == 0: // a member of a struct in a register
		return r.encodeBits(e, x, size, value.FormatNamed("x"))
	case p.typ == nil && !p.mem:
		return number(e, 8, value.FormatNamed("x")), true
	case p.bitSize > 0 || !known || size == 0:
		return e, r.doesNotFit(x, p.typ, f)
	case !p.mem && !p.inReg:
		return number(e, size, value.FormatNamed("x")), true
	}
	return r.bytesOf(e, p, size, x)
}

// bytesOf encodes n bytes at p, at most 64.
func (r *resolver) bytesOf(e encoded, p route, n int, x spec.Expr) (encoded, bool) {
	e.field.Type, e.route = e.route.typ, p
	e.typ = dynevent.X8
	return r.elements(e, 1, n, x)
}

// elements encodes the elements of size bytes that fit into so many bytes, at most
// 64 of them. e.typ is the type of one.
func (r *resolver) elements(e encoded, size, bytes int, x spec.Expr) (encoded, bool) {
	n := min(bytes/size, dynevent.MaxElements)
	e.field.Encoding, e.field.Size, e.field.Count = value.Array, size, n
	if n*size < bytes {
		e.field.Whole = bytes
	}
	if e.route.inReg {
		return r.fromRegisters(e, x)
	}
	e.count = n
	return e, true
}
