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

// FormatOf returns the FORMAT of that name with its count, nil if name is empty.
func FormatOf(name spec.Name) (*value.Format, *spec.Error) {
	if name.Text == "" {
		return nil, nil
	}
	text, count := spec.SplitFormat(name.Text)
	f := value.FormatNamed(text)
	if f == nil {
		suggestions := btf.Suggest(text, slices.Values(append(value.FormatNames(), constants.SetNames()...)))
		missing := &btf.NotFoundError{What: "format", Name: text, Suggestions: suggestions, All: route.FormatNames}
		return nil, spec.ErrorWith(name.Span, missing, spec.DidYouMean(suggestions, spec.FormatsHint(value.FormatNames())), "unknown format %q", text)
	}
	if text == name.Text {
		return f, nil
	}
	most, of := dynevent.MaxElements, "elements"
	if f.IsText() {
		most, of = maxText, "bytes"
	}
	switch {
	case !f.Counts():
		return nil, spec.ErrorFix(name.Span, spec.Fix{Span: name.Span, Text: text}, "leave out the count: ", "the format %s has no count", text)
	case count < 1 || count > most:
		fix := fmt.Sprintf("%s[%d]", text, min(max(count, 1), most))
		return nil, spec.ErrorFix(name.Span, spec.Fix{Span: name.Span, Text: fix}, "write ", "the format %s has 1 to %d %s", text, most, of)
	}
	counted := *f
	counted.Count = count
	return &counted, nil
}

// encodeCounted encodes f.Count elements at the address that e leads to, or if that is not a
// pointer, at its own address.
func (r *Encoder) encodeCounted(e Encoded, w cond.Want, f *value.Format) (_ Encoded, err *spec.Error) {
	p, x, elem := e.Route, w.X, f.Elem()
	size, _ := btf.Size(elem)
	room, known := btf.Size(p.Type)
	_, isArray := btf.AsArray(p.Type)
	bounded := known && room > 0 && (isArray || btf.IsStruct(p.Type)) // reading past a number is allowed
	switch {
	case p.IsPointer():
		if p, err = p.Deref(x, r.walker.Pointee(p.Type)); err != nil {
			return e, err
		}
	case !p.Mem && !p.InReg || p.BitSize > 0:
		err = spec.Errorf(x.Where(), "", "%s is %s and not in memory: it has no elements", x, value.TypeName(p.Type))
		if f.Size <= room {
			err.Mend(w.Format.Span, "show only this value: ", f.Name)
		}
		return e, err
	case bounded && room < size:
		return e, doesNotFit(x, p.Type, f)
	case bounded && room < size*f.Count:
		fix := fmt.Sprintf("%s[%d]", f.Name, room/size)
		return e, spec.ErrorFix(w.Format.Span, spec.Fix{Span: w.Format.Span, Text: fix}, "write ", "%s has %s, %s has %d", x, plural.Of(room, "byte"), w.Format.Text, size*f.Count)
	}
	p.Type, p.BitOff, p.BitSize = elem, 0, 0
	e.Route = p
	e = Number(e, size, f)
	if f.Shape == value.RawMemory {
		e.Type = dynevent.X8
	}
	e.Field.Type = &btf.Array{Type: elem, Nelems: uint32(f.Count)}
	return r.elements(e, e.Type, size*f.Count, x)
}
