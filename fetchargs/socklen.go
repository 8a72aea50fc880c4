package fetchargs

import (
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// The length of a socket address is the parameter after it: connect(2) is given the
// length, and accept(2), getsockname(2) and recvfrom(2) store it, and the address, where
// the parameters point to. Their results can be read only at their return.

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
