package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// Fetch adds a field with the value of w.
func (r *resolver) Fetch(w cond.Want) (cond.Ref, bool) {
	if x, ok := w.X.(*spec.Ident); ok && w.Hidden {
		w = r.meant(x, w)
	}
	if x, ok := w.X.(*spec.Since); ok {
		return r.since(x, w)
	}
	f, count, ok := r.formatOf(w.Format)
	if !ok {
		return cond.Ref{}, false
	}
	p, ok := r.walk(w.X)
	if !ok {
		return cond.Ref{}, false
	}
	if e, ok := w.X.(*spec.Typed); ok && f == nil {
		f = typedFormat(e, p.typ)
	}
	if f == nil && w.With != nil && w.With.Kind == spec.Address {
		f = r.impliedFormat(p.typ, len(w.With.Bytes))
	}
	var e encoded
	if count > 0 {
		e, ok = r.encodeCounted(p, w, f, count)
	} else {
		e, ok = r.encode(p, w, f)
	}
	if !ok || e.route.symbol != nil && !r.within(e, w.X) {
		return cond.Ref{}, false
	}
	e.field.Macros, e.field.Name = r.Macros(), p.name
	if p.wide != nil && (f == nil || f.Shape == value.AnyNumber) {
		e.field.Type = p.wide
	}
	switch scalar := e.field.Encoding == value.Integer || e.field.Encoding == value.BitField; {
	case f != nil:
		e.field.Format = f.Name
	case scalar && (btf.Pointee(p.typ) == nil || value.IsPerCPU(p.set)):
		e.field.Set, e.field.By = r.setOf(p)
	}
	e.field.Use = r.useOf(p)
	if r.target.HZ != nil && mayHaveJiffies(&e.field) {
		e.field.HZ = r.target.HZ()
	}
	e.field.BigEndian = f != nil && f.Big || (f == nil || f.Form == value.Named) && btf.IsBigEndian(e.field.Type)
	side := r.entry
	if e.route.ret {
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

// impliedFormat returns the format of a value of type t that is compared with an
// address of n bytes: IPv6 or MAC if the value may be one.
func (r *resolver) impliedFormat(t btf.Type, n int) *value.Format {
	if t == nil {
		return nil
	}
	implied := map[int]*value.Format{6: value.FormatNamed("mac"), 16: value.FormatNamed("ip6")}[n]
	target := r.pointee(t)
	if target == nil {
		target = t
	} else if btf.IsByte(target) {
		return implied
	}
	size, _ := btf.Size(target)
	array, isArray := btf.AsArray(target)
	switch {
	case isArray && n == 6 && size > n && btf.IsByte(array.Type): // the rest is room for longer addresses
		return implied
	case isArray && target != t && size == n, btf.IsStruct(target) && size == n:
		return implied
	}
	return nil
}
