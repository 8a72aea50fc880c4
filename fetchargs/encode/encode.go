// Package encode says how the kernel fetches the value at the end of a route, and how the bytes
// that it records become a value again.
package encode

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// An Encoded is a field together with the fetcharg that fetches it.
type Encoded struct {
	Field   value.Field
	Route   route.Route
	Span    spec.Span
	Type    dynevent.Type
	Count   int            // elements of that type in the record, 0 if it is not an array
	Next    []dynevent.Arg // fetch the rest of the value; nil if the route leads to all of it
	Use     string         // fetchargs are shared only with those of the same use
	ArgName string         // of the fetcharg; "" if it has the name of the value
	Path    *Path
	char    bool    // char is signed, though BTF does not say so
	Short   bool    // the object may end before all that is read
	Brief   bool    // the text ends after some hundred bytes at most
	Length  *Length // says how much of the object means something; nil if all does, and no parameter points to it
}

// An Encoder says how the kernel fetches what a route leads to, and how the bytes become a
// value again.
type Encoder struct {
	fn                    *find.Function // that the spec is about
	pathCount, pathValues int            // see paths

	walker *route.Walker // leads to what the encodings need besides the value itself
}

// New returns an Encoder for a spec about fn.
func New(fn *find.Function, walker *route.Walker) *Encoder { return &Encoder{fn: fn, walker: walker} }

// placed are the shapes that FORMATs give to variables whose type is not known.
var placed = []value.Shape{value.KernelText, value.ByteArray, value.FixedWidth}

// Encode decides how to fetch w, to which p leads: by its format, or else by its type.
func (r *Encoder) Encode(p route.Route, w cond.Want, f *value.Format) (e Encoded, err *spec.Error) {
	byType := f == nil || f.Shape == value.AnyNumber
	if byType {
		p = lookThrough(p)
	}
	e, x := Encoded{Route: p, Span: w.X.Where()}, w.X
	switch {
	case f != nil && f.Count > 0 && !f.IsText():
		return r.encodeCounted(e, w, f)
	case f == nil && isText(p, w):
		return r.EncodeText(e, w, value.FormatNamed("string"))
	case p.Base.Kind == dynevent.Comm:
		e.Field.Type, e.Field.Encoding, e.Field.Size, e.Type = p.Type, value.String, 4, dynevent.CommText
		if f != nil {
			e.Field.Count = f.Count
		}
		return e, nil
	case p.IsUntyped() && (f == nil || f.Name != "sym" && !slices.Contains(placed, f.Shape)):
		return e, p.Untyped(x)
	case p.IsAddress():
		if e.Route, err = r.walker.Constant(p, x); err != nil {
			return e, err
		}
	}
	if !byType {
		return encodings[f.Shape](r, e, w, f)
	}
	return r.encodeType(e, w, f)
}

// encodeType is like Encode, for a value that its C type says how to fetch.
func (r *Encoder) encodeType(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	if e.Route.Type == nil {
		return Number(e, 8, f), nil
	}
	e.char = r.signedChar(e.Route.Type)
	switch t := btf.Strip(e.Route.Type).(type) {
	case *btf.Int, *btf.Enum:
		switch size, _ := btf.Size(t); {
		case e.Route.BitSize > 0:
			return encodeBits(e, size, f), nil
		case !isNumberSize(size):
			at := w.X.Where()
			return e, spec.ErrorFix(at, spec.Fix{Span: at, Text: w.X.String() + ":hex"}, "show its bytes: ", "%s is %s, which does not fit a fetcharg", w.X, btf.Name(e.Route.Type))
		default:
			return Number(e, size, f), nil
		}
	case *btf.Pointer:
		return Number(e, 8, f), nil
	case *btf.Array:
		if btf.IsStruct(btf.Leaf(t)) {
			return r.encodeDump(e, w, f)
		}
		return r.encodeArray(e, w.X, t, f)
	case *btf.Struct, *btf.Union:
		if form, one := value.FormOf(e.Route.Type); one && f == nil {
			return r.encodeOne(e, w, form)
		}
		return r.encodeDump(e, w, f)
	}
	return e, doesNotFit(w.X, e.Route.Type, nil)
}

// isNumberSize reports whether the kernel fetches numbers of so many bytes.
func isNumberSize(size int) bool { return size == 1 || size == 2 || size == 4 || size == 8 }

// lookThrough replaces a struct of one member, such as atomic_t or kuid_t, by that
// member.
func lookThrough(p route.Route) route.Route {
	for p.Type != nil && btf.IsStruct(p.Type) {
		if form, one := value.FormOf(p.Type); one && (form == value.Bits || form == value.IP6) {
			return p
		}
		names := btf.Members(p.Type)
		if len(names) != 1 {
			return p
		}
		m, err := btf.Member(p.Type, names[0])
		if err != nil {
			return p
		}
		inner, ok := p.Member(m).Settle()
		if !ok {
			return p
		}
		p = inner
	}
	return p
}

// Number encodes an integer of size bytes. The C type decides its sign.
func Number(e Encoded, size int, f *value.Format) Encoded {
	e.Field.Type, e.Field.Encoding, e.Field.Size = e.Route.Type, value.Integer, size
	kind, byType := "u", f == nil
	if byType {
		f = &value.Format{}
	}
	switch {
	case f.Signed && (e.Route.Type == nil || btf.Pointee(e.Route.Type) != nil): // signed as it is shown
		kind, e.Field.Signed = "s", true
	case f.Name == "sym", btf.Pointee(e.Route.Type) != nil, f.Name == "x" && e.Route.Wide == nil,
		e.Route.Type == nil && f.Shape != value.FixedWidth:
		kind = "x"
	case f.Signed, (byType || f.Form == value.Named || e.Route.Wide != nil) && (btf.Signed(e.Route.Type) || e.char && btf.IsText(e.Route.Type)):
		kind, e.Field.Signed = "s", true
	}
	e.Field.Add = 0
	if !e.Route.Mem {
		e.Field.Add = e.Route.Off
	}
	if f.Shape == value.FixedWidth && (f.Form == value.Hex || f.Form == value.Symbol || f.Form == value.IP4) {
		kind = "x"
	}
	e.Type = dynevent.Number(kind, size)
	return e
}

// signedChar reports whether t is char, or an array of char, and char is signed
// though BTF does not say so. The BTF of 5.10 does not mark even signed char. Since
// 6.2 char is unsigned everywhere, and BTF marks signed char.
func (r *Encoder) signedChar(t btf.Type) bool {
	if a, ok := btf.AsArray(t); ok {
		t = a.Type
	}
	if t == nil || !btf.IsText(t) || !r.fn.Target.Arch.SignedChar {
		return false
	}
	t, err := r.fn.Target.Kernel.Type("signed char")
	if err != nil {
		return false
	}
	i, ok := t.(*btf.Int)
	return ok && i.Encoding == btf.Unsigned
}

// encodeBits encodes a bit field of an integer of size bytes.
func encodeBits(e Encoded, size int, f *value.Format) Encoded {
	p := &e.Route
	want := uint32(size) * 8
	if !p.Mem {
		want = 64
	}
	e.Field.Type, e.Field.Encoding, e.Field.Bits = p.Type, value.BitField, int(p.BitSize)
	e.Field.Signed = (f == nil || p.Wide != nil) && btf.Signed(p.Type) || f != nil && f.Signed
	off, bits, shift, ok := p.Container(want)
	if !ok {
		return e.splitBits()
	}
	e.Field.Size = int(bits / 8)
	p.Off = off
	e.Type = dynevent.Bits(p.BitSize, shift, int(bits/8))
	return e
}

// shortText is the size of an array that surely ends before an event is full, even if it
// lacks its NUL: what follows it in a struct does not go on for thousands of bytes without
// one.
const shortText = 256

// isText reports whether w, to which p leads, is text if it has no FORMAT: by its type, or because
// it is compared with text.
func isText(p route.Route, w cond.Want) bool {
	elem := btf.Pointee(p.Type)
	if a, ok := btf.AsArray(p.Type); ok && p.Mem {
		elem = a.Type
	} else if w.Pointer {
		return false
	}
	return elem != nil && (p.Text || btf.IsText(elem) || w.With.IsText() && btf.IsByte(elem) && !btf.IsBool(elem))
}

// EncodeText encodes a string: an array in place, or the text that a pointer points to.
func (r *Encoder) EncodeText(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	p, x := e.Route, w.X
	if w.Pointer && btf.Pointee(p.Type) != nil {
		return Number(e, 8, nil), nil
	}
	e.Field.Type, e.Field.Encoding, e.Field.Size = p.Type, value.String, 4
	e.Type = dynevent.String
	e.Brief = p.Text
	switch array, isArray := btf.AsArray(p.Type); {
	case p.IsUntyped(): // the text is at its place
	case p.IsPointer():
		var err *spec.Error
		if e.Route, err = p.Deref(x, nil); err != nil {
			return e, err
		}
	case !isArray || !btf.IsByte(array.Type) || !p.Mem && !p.InReg:
		return e, doesNotFit(x, p.Type, f)
	case p.InReg:
		return r.encodeArray(e, x, array, nil)
	default:
		e.Field.Count = int(array.Nelems)
		e.Brief = p.Text || array.Nelems <= shortText && p.InKernel()
	}
	if f.Count > 0 && (e.Field.Count == 0 || e.Field.Count > f.Count) {
		e.Field.Count = f.Count
	}
	if f.Shape == value.UserText || e.Route.User {
		if !r.fn.Target.Features.Ustring {
			return e, spec.Errorf(x.Where(), "", "this kernel cannot fetch from user memory (ustring came with 5.3)")
		}
		e.Route.User, e.Type, e.Brief = false, dynevent.Ustring, false
	}
	return e, nil
}
