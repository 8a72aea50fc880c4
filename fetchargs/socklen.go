package fetchargs

import (
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// The length of a socket address is the parameter after it: connect(2) is given the
// length, and accept(2), getsockname(2) and recvfrom(2) store it, and the address, where
// the parameters point to. What they store can be read only at their return.

// A lengthFetch is how the length of a socket address, or of what another parameter points
// to, is fetched.
type lengthFetch struct {
	name   string // "" if everything means something
	route  route
	unit   int  // as in value.Bound
	stored bool // by the function, like what it is the length of, unless it returns an error
}

// lengthOf returns how to fetch the length of the socket address that the parameter on
// the way to p points to; nil if there is no such parameter.
func (r *resolver) lengthOf(p route) *lengthFetch {
	for i, param := range r.fn.Params[:max(0, len(r.fn.Params)-1)] {
		next := r.fn.Params[i+1]
		direct := len(p.labels) == len(r.params[i].labels)+1 && p.base == r.params[i].base && p.off == 0
		if param.Name != p.name || !direct || !strings.Contains(next.Name, "len") || r.paramErrs[i+1] != nil {
			continue
		}
		length := r.params[i+1]
		if isInt(next.Type) {
			return &lengthFetch{name: next.Name, route: length}
		}
		if target := r.pointee(next.Type); target != nil && isInt(target) {
			return &lengthFetch{name: next.Name, route: length.follow(next.Name, target), stored: true}
		}
	}
	return nil
}

func isInt(t btf.Type) bool {
	i, ok := btf.Strip(t).(*btf.Int)
	return ok && i.Size >= 4
}

// storesAddress reports whether the system call itself stores the socket address that its
// parameter i points to, so that there is none before it returns.
func (c *syscall) storesAddress(i int) bool {
	return c.own[i] == "sockaddr" && i+1 < len(c.fn.Params) && btf.Pointee(c.fn.Params[i+1].Type) != nil
}

// Decoded adds the FORMAT of a parameter that has one: for a pointer to the address of a
// socket, the address is shown.
func (r *resolver) Decoded(w cond.Want) cond.Want {
	id, ok := w.X.(*spec.Ident)
	if r.call == nil || !ok || w.Format.Text != "" {
		return w
	}
	for i, p := range r.call.fn.Params {
		if r.call.storesAddress(i) && !r.target.Features.ReturnArgs {
			continue
		}
		if own := r.call.own[i]; p.Name == id.Text && own != "" && r.Macros().Set(own) == nil {
			w.Format = spec.Name{Text: r.call.own[i], Span: id.Span}
		}
	}
	return w
}

// atReturn makes e, a socket address that the function stores, a value of the return.
func (r *resolver) atReturn(e *encoded, x spec.Expr) bool {
	if !r.target.Features.ReturnArgs || r.absent {
		r.Fail(x.Where(), "", "%s is a socket address only when %s returns, and this kernel cannot fetch it then (since 6.9)", x, r.fn.Name)
		return false
	}
	e.route.ret, e.length.route.ret = true, true
	return true
}

// addBound adds the fetchargs of the length of a socket address, and the pointer to it.
func (b *builder) addBound(e encoded, f *value.Field) bool {
	if e.length == nil {
		return true
	}
	f.Bound = &value.Bound{Length: -1, Unit: e.length.unit, Result: -1}
	if e.length.stored {
		f.Bound.Result, _ = b.arg(dynevent.Arg{Base: dynevent.Base{Kind: dynevent.Retval}, Type: dynevent.Number("s", 4)}, "result", e.at)
	}
	if e.length.name == "" {
		return true
	}
	size, _ := btf.Size(e.length.route.typ)
	length := number(encoded{route: e.length.route, at: e.at}, size, nil)
	own := length.route.fetcharg().As(length.typ)
	arg, ok := b.arg(own, e.length.name, e.at)
	if !ok {
		return false
	}
	f.Bound.Length = arg
	through := value.Field{Label: f.Label, Arg: arg}
	ok = b.guards(length, &through)
	f.Guards = through.Guards
	return ok
}
