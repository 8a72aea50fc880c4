package encode

import (
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/route"
)

// A Length is how the length of a socket address, or of what another parameter points
// to, is fetched.
type Length struct {
	Name   string // "" if everything means something
	Route  route.Route
	Unit   int  // as in value.Bound
	Stored bool // by the function, like what it is the length of, unless it returns an error
}

// lengthOf returns how to fetch the length of the socket address that the parameter on
// the way to p points to; nil if there is no such parameter.
func (r *Encoder) lengthOf(p route.Route) *Length {
	for i, param := range r.fn.Proto.Params[:max(0, len(r.fn.Proto.Params)-1)] {
		next := r.fn.Proto.Params[i+1]
		direct := len(p.Labels) == len(r.walker.Params[i].Labels)+1 && p.Base == r.walker.Params[i].Base && p.Off == 0
		if param.Name != p.Name || !direct || !strings.Contains(next.Name, "len") || r.walker.ParamErrs[i+1] != nil {
			continue
		}
		length := r.walker.Params[i+1]
		if isInt(next.Type) {
			return &Length{Name: next.Name, Route: length}
		}
		if target := r.walker.Pointee(next.Type); target != nil && isInt(target) {
			return &Length{Name: next.Name, Route: length.Follow(next.Name, target), Stored: true}
		}
	}
	return nil
}

func isInt(t btf.Type) bool {
	i, ok := btf.Strip(t).(*btf.Int)
	return ok && i.Size >= 4
}
