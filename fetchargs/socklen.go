package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/encode"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The length of a socket address is the parameter after it: connect(2) is given the
// length, and accept(2), getsockname(2) and recvfrom(2) store it, and the address, where
// the parameters point to. What they store can be read only at their return.

// Decoded adds the FORMAT of a parameter that has one: for a pointer to the address of a
// socket, the address is shown.
func (r *resolver) Decoded(w cond.Want) cond.Want {
	id, ok := w.X.(*spec.Ident)
	if r.fn.Call == nil || !ok || w.Format.Text != "" {
		return w
	}
	for i, p := range r.fn.Call.Proto.Params {
		if r.fn.Call.StoresAddress(i) && !r.fn.Target.Features.ReturnArgs {
			continue
		}
		if own := r.fn.Call.Own[i]; p.Name == id.Text && own != "" && r.walk.Macros().Set(own) == nil {
			w.Format = spec.Name{Text: r.fn.Call.Own[i], Span: id.Span}
		}
	}
	return w
}

// addBound adds the fetchargs of the length of a socket address, and the pointer to it.
func (b *builder) addBound(e encode.Encoded, f *value.Field) bool {
	if e.Length == nil {
		return true
	}
	f.Bound = &value.Bound{Length: -1, Unit: e.Length.Unit, Result: -1}
	if e.Length.Stored {
		f.Bound.Result, _ = b.line.Add(dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Retval}, Type: dynevent.Number("s", 4)}, "result", e.Span)
	}
	if e.Length.Name == "" {
		return true
	}
	size, _ := btf.Size(e.Length.Route.Type)
	length := encode.Number(encode.Encoded{Route: e.Length.Route, Span: e.Span}, size, nil)
	own := length.Route.Arg().As(length.Type)
	arg, ok := b.line.Add(own, e.Length.Name, e.Span)
	if !ok {
		return false
	}
	f.Bound.Length = arg
	through := value.Field{Label: f.Label, Arg: arg}
	ok = b.guards(length, &through)
	f.Guards = through.Guards
	return ok
}
