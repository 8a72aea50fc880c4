package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The user gives a count: elements of an array, a[2..5], or of a FORMAT, x:u8[16].

// maxRange is the most elements of a range. No object is fetched any further.
const maxRange = value.MostOfObject

// maxText is the longest text of a FORMAT in bytes: no kernel fetches more.
const maxText = 4095

// elementRange returns the route to several elements, as an array of their own.
func (r *resolver) elementRange(x *spec.Range) (route, bool) {
	p, elem, n, ok := r.elementsOf(x.X, x, x.First)
	if !ok {
		return p, false
	}
	as := func(first, last int64) spec.Fix {
		return spec.Fix{Span: x.Span, Text: (&spec.Range{X: x.X, First: first, Last: last}).String()}
	}
	switch {
	case x.First > x.Last:
		r.FailFix(x.Span, as(x.Last, x.First), "write ", "the range %d..%d goes backwards", x.First, x.Last)
		return p, false
	case n > 0 && (x.First < 0 || x.Last >= n):
		first := max(x.First, 0)
		if first >= n {
			first = 0
		}
		r.FailFix(x.Span, as(first, min(max(x.Last, 0), n-1)), "there are ", "%s has %d elements", x.X, n)
		return p, false
	case x.Last-x.First >= maxRange:
		r.FailFix(x.Span, as(x.First, x.First+dynevent.MaxElements-1), "take fewer: ", "a range has %d elements at most", maxRange)
		return p, false
	}
	size, known := btf.Size(elem)
	if !known {
		r.Fail(x.Span, "", "the size of %s is not known", btf.Name(elem))
		return p, false
	}
	set, text := p.set, p.text
	p = p.at(x.First*int64(size), &btf.Array{Type: elem, Nelems: uint32(x.Last - x.First + 1)})
	p.set, p.text = set, text
	return p, true
}

// formatOf returns the FORMAT of that name and its count. They are nil and 0 if
// name is empty.
func (r *resolver) formatOf(name spec.Name) (f *value.Format, count int, ok bool) {
	if name.Text == "" {
		return nil, 0, true
	}
	text, count := spec.SplitFormat(name.Text)
	if f = value.FormatNamed(text); f == nil {
		near := btf.Near(text, slices.Values(append(value.FormatNames(), constants.SetNames()...)))
		missing := &btf.NotFoundError{What: "format", Name: text, Near: near, All: formatNames}
		r.FailWith(name.Span, missing, spec.DidYouMean(near, "formats: "+strings.Join(value.FormatNames(), " ")), "unknown format %q", text)
		return nil, 0, false
	}
	if text == name.Text {
		return f, 0, true
	}
	most, of := dynevent.MaxElements, "elements"
	if f.IsText() {
		most, of = maxText, "bytes"
	}
	switch {
	case !f.Counts():
		r.Fail(name.Span, "formats with a width have one, and those of bytes and text", "the format %s has no count", text)
		return nil, 0, false
	case count < 1 || count > most:
		fix := fmt.Sprintf("%s[%d]", text, min(max(count, 1), most))
		r.FailFix(name.Span, spec.Fix{Span: name.Span, Text: fix}, "write ", "the format %s has 1 to %d %s", text, most, of)
		return nil, 0, false
	}
	return f, count, true
}

// encodeCounted is like encode, for a FORMAT with a count: it encodes count
// elements, or bytes of text, at the address that p points to. If p is not a
// pointer, they start at its own address.
func (r *resolver) encodeCounted(p route, w cond.Want, f *value.Format, count int) (encoded, bool) {
	if f.IsText() {
		e, ok := r.encode(p, w, f)
		if ok && e.field.Encoding == value.String && (e.field.Count == 0 || e.field.Count > count) {
			e.field.Count = count
		}
		return e, ok
	}
	size, x := f.Size, w.X
	if f.Shape == value.RawMemory {
		size = 1
	}
	e := encoded{at: x.Where()}
	if !p.isUntyped() && !p.inReg && (p.typ == nil || btf.Pointee(p.typ) != nil) {
		if !r.isOfOne(p, x) {
			return e, false
		}
		p = p.follow(x.String(), r.pointee(p.typ))
	} else if !r.hasElements(p, w, f, size*count) {
		return e, false
	}
	elem := elementOf(f, size)
	p.typ, p.bitOff, p.bitSize = elem, 0, 0
	e.route = p
	e = number(e, size, f)
	e.typ = kernelType(f, e.typ)
	if f.Shape == value.RawMemory {
		e.typ = dynevent.X8
	}
	e.field.Type = &btf.Array{Type: elem, Nelems: uint32(count)}
	return r.elements(e, size, size*count, x)
}

// hasElements reports whether so many bytes can be read there. It refuses values
// that are not in memory, and reads past the end of arrays and structs, whose size
// is known. Reading past a number is allowed.
func (r *resolver) hasElements(p route, w cond.Want, f *value.Format, bytes int) bool {
	size, known := btf.Size(btf.OrVoid(p.typ))
	_, isArray := btf.AsArray(p.typ)
	whole := p.typ != nil && (isArray || btf.IsStruct(p.typ))
	switch {
	case !p.mem && !p.inReg || p.bitSize > 0:
		r.Fail(w.X.Where(), "", "%s is %s and not in memory: it has no elements", w.X, value.TypeName(p.typ))
		if f.Size <= size {
			r.Errs[len(r.Errs)-1].Fix = spec.Fix{Span: w.Format.Span, Text: f.Name}
			r.Errs[len(r.Errs)-1].Hint = "only this value: " + f.Name
		}
		return false
	case whole && known && size > 0 && size < bytes:
		unit := bytes
		if _, count := spec.SplitFormat(w.Format.Text); count > 0 {
			unit = bytes / count
		}
		if size < unit {
			return r.doesNotFit(w.X, p.typ, f)
		}
		fix := fmt.Sprintf("%s[%d]", f.Name, size/unit)
		r.FailFix(w.Format.Span, spec.Fix{Span: w.Format.Span, Text: fix}, "write ", "%s has %d bytes, %s has %d", w.X, size, w.Format.Text, bytes)
		return false
	}
	return true
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
