package encode

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/route"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// ImpliedFormat returns the FORMAT that w, to which p leads, has without one of the user, nil if
// it has none: that of the type of an entry, that of a set of CPUs in an event, or for a value
// that is compared with an address, IPv6 or MAC if it may be one.
func (r *Encoder) ImpliedFormat(w cond.Want, p route.Route) *value.Format {
	if e, ok := w.X.(*spec.Typed); ok && (e.Type.Text[0] == 'x' || e.Type.Text == "symbol") {
		f := value.FormatNamed(e.Type.Text)
		if size, known := btf.Size(p.Type); known && size < f.Size && f.Name != "symbol" {
			return value.FormatNamed("x")
		}
		return f
	}
	if set := value.FormatNamed(p.Set); w.With == nil && set != nil && set.Form == value.Bits {
		if _, words := btf.AsArray(p.Type); words {
			return set
		}
	}
	if w.With == nil || w.With.Kind != spec.Address || p.Type == nil {
		return nil
	}
	return r.addressFormat(len(w.With.Bytes), p)
}

// addressFormat returns the FORMAT of an address of n bytes if p, whose type is known, may lead to
// one, else nil.
func (r *Encoder) addressFormat(n int, p route.Route) *value.Format {
	implied := map[int]*value.Format{6: value.FormatNamed("mac"), 16: value.FormatNamed("ip6")}[n]
	target := r.walker.Pointee(p.Type)
	if target == nil {
		target = p.Type
	} else if btf.IsByte(target) {
		return implied
	}
	size, _ := btf.Size(target)
	array, isArray := btf.AsArray(target)
	switch {
	case isArray && n == 6 && size > n && btf.IsByte(array.Type): // the rest is room for longer addresses
		return implied
	case isArray && target != p.Type && size == n, btf.IsStruct(target) && size == n:
		return implied
	}
	return nil
}
