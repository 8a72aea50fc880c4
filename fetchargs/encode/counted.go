package encode

import (
	"fmt"
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The user gives a count: elements of an array, a[2..5], or of a FORMAT, x:u8[16].

// maxText is the longest text of a FORMAT in bytes: no kernel fetches more.
const maxText = 4095

// FormatOf returns the FORMAT of that name and its count. They are nil and 0 if
// name is empty.
func (r *Encoder) FormatOf(name spec.Name) (f *value.Format, count int, err *spec.Error) {
	if name.Text == "" {
		return nil, 0, nil
	}
	text, count := spec.SplitFormat(name.Text)
	if f = value.FormatNamed(text); f == nil {
		near := btf.Near(text, slices.Values(append(value.FormatNames(), constants.SetNames()...)))
		missing := &btf.NotFoundError{What: "format", Name: text, Near: near, All: route.FormatNames}
		return nil, 0, spec.ErrorWith(name.Span, missing, spec.DidYouMean(near, spec.FormatsHint(value.FormatNames())), "unknown format %q", text)
	}
	if text == name.Text {
		return f, 0, nil
	}
	most, of := dynevent.MaxElements, "elements"
	if f.IsText() {
		most, of = maxText, "bytes"
	}
	switch {
	case !f.Counts():
		return nil, 0, spec.Errorf(name.Span, "formats with a width have one, and those of bytes and text", "the format %s has no count", text)
	case count < 1 || count > most:
		fix := fmt.Sprintf("%s[%d]", text, min(max(count, 1), most))
		return nil, 0, spec.ErrorFix(name.Span, spec.Fix{Span: name.Span, Text: fix}, "write ", "the format %s has 1 to %d %s", text, most, of)
	}
	return f, count, nil
}

// Counted is like encode, for a FORMAT with a count: it encodes count
// elements, or bytes of text, at the address that p points to. If p is not a
// pointer, they start at its own address.
func (r *Encoder) Counted(p route.Route, w cond.Want, f *value.Format, count int) (Encoded, *spec.Error) {
	if f.IsText() {
		e, err := r.Encode(p, w, f)
		if err == nil && e.Field.Encoding == value.String && (e.Field.Count == 0 || e.Field.Count > count) {
			e.Field.Count = count
		}
		return e, err
	}
	size, x := f.Size, w.X
	if f.Shape == value.RawMemory {
		size = 1
	}
	e := Encoded{Span: x.Where()}
	var err *spec.Error
	if p.IsPointer() {
		p, err = p.Behind(x, r.walker.Pointee(p.Type))
	} else {
		err = hasElements(p, w, f, size, count)
	}
	if err != nil {
		return e, err
	}
	elem := elementOf(f, size)
	p.Type, p.BitOff, p.BitSize = elem, 0, 0
	e.Route = p
	e = Number(e, size, f)
	if f.Shape == value.RawMemory {
		e.Type = dynevent.X8
	}
	e.Field.Type = &btf.Array{Type: elem, Nelems: uint32(count)}
	return r.elements(e, e.Type, size*count, x)
}

// hasElements returns an error if count elements of unit bytes cannot be read there: of values
// that are not in memory, and past the end of arrays and structs, whose size is known. Reading
// past a number is allowed.
func hasElements(p route.Route, w cond.Want, f *value.Format, unit, count int) *spec.Error {
	size, known := btf.Size(p.Type)
	_, isArray := btf.AsArray(p.Type)
	whole := p.Type != nil && (isArray || btf.IsStruct(p.Type))
	switch {
	case !p.Mem && !p.InReg || p.BitSize > 0:
		err := spec.Errorf(w.X.Where(), "", "%s is %s and not in memory: it has no elements", w.X, value.TypeName(p.Type))
		if f.Size <= size {
			err.Mend(w.Format.Span, "only this value: ", f.Name)
		}
		return err
	case whole && known && size > 0 && size < unit:
		return doesNotFit(w.X, p.Type, f)
	case whole && known && size > 0 && size < unit*count:
		fix := fmt.Sprintf("%s[%d]", f.Name, size/unit)
		return spec.ErrorFix(w.Format.Span, spec.Fix{Span: w.Format.Span, Text: fix}, "write ", "%s has %s, %s has %d", w.X, plural.Of(size, "byte"), w.Format.Text, unit*count)
	}
	return nil
}

// elementOf returns the C type of one element of a FORMAT.
func elementOf(f *value.Format, size int) btf.Type {
	switch {
	case f.Name == "symbol":
		return &btf.Pointer{Target: &btf.Void{}}
	case f.Name == "char":
		return &btf.Int{Name: "char", Size: 1}
	case f.Signed:
		return &btf.Int{Name: fmt.Sprintf("s%d", 8*size), Size: uint32(size), Encoding: btf.IsSigned}
	}
	return &btf.Int{Name: fmt.Sprintf("u%d", 8*size), Size: uint32(size)}
}
