package encode

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// TypedFormat returns the FORMAT that an entry's type implies, nil if it implies none. t
// is the final type of the value, which may be narrower.
func TypedFormat(e *spec.Typed, t btf.Type) *value.Format {
	if e.Type.Text[0] != 'x' && e.Type.Text != "symbol" {
		return nil
	}
	f := value.FormatNamed(e.Type.Text)
	if size, known := btf.Size(btf.OrVoid(t)); known && size < f.Size && f.Name != "symbol" {
		return value.FormatNamed("x")
	}
	return f
}

// ImpliedFormat returns the format of a value of type t that is compared with an
// address of n bytes: IPv6 or MAC if the value may be one.
func (r *Encoder) ImpliedFormat(t btf.Type, n int) *value.Format {
	if t == nil {
		return nil
	}
	implied := map[int]*value.Format{6: value.FormatNamed("mac"), 16: value.FormatNamed("ip6")}[n]
	target := r.walker.Pointee(t)
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
