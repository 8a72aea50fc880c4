package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Fetch adds a field with the value of w.
func (r *resolver) Fetch(w cond.Want) (cond.Ref, bool) {
	if x, ok := w.X.(*spec.Ident); ok && w.Hidden {
		w = r.Meant(x, w)
	}
	if x, ok := w.X.(*spec.Since); ok {
		return r.since(x, w)
	}
	f, count, ok := r.FormatOf(w.Format)
	if !ok {
		return cond.Ref{}, false
	}
	p, ok := r.Walk(w.X)
	if !ok {
		return cond.Ref{}, false
	}
	if e, ok := w.X.(*spec.Typed); ok && f == nil {
		f = encode.TypedFormat(e, p.Type)
	}
	if f == nil && w.With != nil && w.With.Kind == spec.Address {
		f = r.ImpliedFormat(p.Type, len(w.With.Bytes))
	}
	var e encode.Encoded
	if count > 0 {
		e, ok = r.Counted(p, w, f, count)
	} else {
		e, ok = r.Encode(p, w, f)
	}
	if !ok || e.Route.Symbol != nil && !r.Within(e, w.X) {
		return cond.Ref{}, false
	}
	e.Field.Macros, e.Field.Name = r.Macros(), p.Name
	if p.Wide != nil && (f == nil || f.Shape == value.AnyNumber) {
		e.Field.Type = p.Wide
	}
	switch scalar := e.Field.Encoding == value.Integer || e.Field.Encoding == value.BitField; {
	case f != nil:
		e.Field.Format = f.Name
	case scalar && (btf.Pointee(p.Type) == nil || value.IsPerCPU(p.Set)):
		e.Field.Set, e.Field.By = r.setOf(p)
	}
	e.Field.Use = r.useOf(p)
	if mayHaveJiffies(&e.Field) {
		e.Field.HZ = r.Target.HZ
	}
	e.Field.BigEndian = f != nil && f.Big || (f == nil || f.Form == value.Named) && btf.IsBigEndian(e.Field.Type)
	side := r.entry
	if e.Route.Return {
		side = r.exit
	}
	return side.add(e, w)
}

// mayHaveJiffies reports whether a number of f, or in f, may count jiffies. Any number
// that is recorded may be shown as jiffies later.
func mayHaveJiffies(f *value.Field) bool {
	switch f.Encoding {
	case value.Dumped, value.Integer:
		return true
	case value.Array:
		return f.Format == "jiffies" || f.Type != nil && f.Format == "" && btf.IsStruct(f.Type)
	}
	return f.Format == "jiffies" || f.Set == "jiffies"
}
