package encode

import (
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

const (
	ArrayBytes = 8 * dynevent.MaxElements // of the longest array
	// TextRoom is how many bytes of an event a dump leaves to text: a record larger
	// than a page of the ring buffer is never recorded.
	TextRoom = 1024
)

// encodeDump encodes all of a struct, which must be in memory or in registers, or of an array of
// structs in memory.
func (r *Encoder) encodeDump(e Encoded, w cond.Want, f *value.Format) (Encoded, *spec.Error) {
	x, typ := w.X, e.Route.Type
	size, known := btf.Size(typ)
	array, isArray := btf.AsArray(typ)
	switch {
	case isArray && (!e.Route.Mem || size == 0 || w.Hidden || w.With != nil):
		one := spec.Postfixed(x) + "[0]"
		if members := btf.Members(array.Type); len(members) > 0 {
			one += "." + members[0]
		}
		return e, spec.ErrorFix(x.Where(), spec.Fix{Span: x.Where(), Text: one}, "take one: ", "%s is an array of %s", x, btf.Name(array.Type))
	case !e.Route.Mem && !e.Route.InReg:
		return e, spec.ErrorWith(x.Where(), spec.ErrUnsupported, memberHint(typ), "%s is a %s; showing all of it is not supported yet", x, btf.Name(typ))
	case w.Hidden || w.With != nil:
		return e, spec.Errorf(x.Where(), memberHint(typ), "%s is a %s, which cannot be compared", x, btf.Name(typ))
	case f != nil && f.Name != "x" && f.Name != "d" && f.Name != "u":
		return e, doesNotFit(x, typ, f)
	case !known || size == 0 || e.Route.BitSize > 0:
		return e, spec.Errorf(x.Where(), "", "%s is a %s and has no bytes to show", x, btf.Name(typ))
	}
	e.Type = dynevent.X64
	if e.Route.InReg {
		var err *spec.Error
		if e, err = r.elements(e, dynevent.X8, size, x); err != nil {
			return e, err
		}
		e.Field.Dump = &value.Extent{Args: 1 + len(e.Next)}
	}
	e.Field.Type, e.Field.Encoding, e.Field.Size, e.Field.Whole = typ, value.Dumped, 1, size
	return e, nil
}

// memberHint returns a hint that lists members of a struct.
func memberHint(t btf.Type) string {
	list := btf.Members(t)
	hint := "name a member: " + strings.Join(list[:min(8, len(list))], ", ")
	if len(list) > 8 {
		hint += ", ..."
	}
	return hint
}
