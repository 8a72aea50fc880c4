package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Fetch adds a field with the value of w.
func (r *resolver) Fetch(w cond.Want) (cond.Ref, bool) {
	if r.Full() {
		return cond.Ref{}, false
	}
	if x, ok := w.X.(*spec.Ident); ok && w.Hidden {
		item, err := r.walk.ItemNamed(x)
		if err != nil {
			r.Add(err)
			return cond.Ref{}, false
		}
		if item != nil {
			if w.X = item.Expr; w.Format.Text == "" {
				w.Format = item.Format
			}
		}
	}
	if x, ok := w.X.(*spec.Since); ok {
		return r.since(x, w)
	}
	e, err := r.encoded(w)
	if err != nil {
		r.Add(err)
		return cond.Ref{}, false
	}
	side := r.entry
	if e.Route.Return {
		side = r.exit
	}
	return side.Add(e, w)
}

// encoded returns how w is fetched, and how its bytes are shown.
func (r *resolver) encoded(w cond.Want) (encode.Encoded, *spec.Error) {
	f, err := encode.FormatOf(w.Format)
	if err != nil {
		return encode.Encoded{}, err
	}
	p, err := r.walk.Walk(w.X)
	if err != nil {
		return encode.Encoded{}, err
	}
	if f == nil {
		f = r.enc.ImpliedFormat(w, p)
	}
	e, err := r.enc.Encode(p, w, f)
	if err == nil && e.Route.Symbol != nil {
		err = e.Within(w.X)
	}
	if err != nil {
		return e, err
	}
	r.remark(e.Route.Remarks)
	r.describe(&e.Field, p, f)
	return e, nil
}

// describe completes the field of the value that p leads to: its names, and what its numbers
// stand for.
func (r *resolver) describe(f *value.Field, p route.Route, format *value.Format) {
	f.Macros, f.Name = r.walk.Macros(), p.Name
	if p.Wide != nil && (format == nil || format.Shape == value.AnyNumber) {
		f.Type = p.Wide
	}
	switch scalar := f.Encoding == value.Integer || f.Encoding == value.BitField; {
	case format != nil:
		f.Format = format.Name
	case scalar && (btf.Pointee(p.Type) == nil || value.OfPointers(p.Set)):
		f.Set, f.By = r.setOf(p)
	}
	f.Use = r.useOf(p)
	if mayHaveJiffies(f) {
		f.HZ = r.fn.Target.HZ
	}
	f.BigEndian = format != nil && format.Big || (format == nil || format.Form == value.Named) && btf.IsBigEndian(f.Type)
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
