package fetchargs

import (
	"errors"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// locateParams returns the routes to the parameters of f. A parameter whose place
// is not known, or that cannot be fetched, has an error instead.
func (r *resolver) locateParams(f *btf.Func) ([]route, []error) {
	params, words := r.target.Arch.Params(f)
	r.argWords = words
	routes := make([]route, len(params))
	errs := make([]error, len(params))
	for i, param := range params {
		if errs[i] = param.Err; param.Err == nil {
			routes[i], errs[i] = r.locateParam(f.Params[i].Type, param)
		}
	}
	return routes, errs
}

// locateParam returns the route to a parameter of type t.
func (r *resolver) locateParam(t btf.Type, param abi.Param) (route, error) {
	if param.Pointer {
		param.Pointer = false
		p, err := r.locateParam(&btf.Pointer{Target: t}, param)
		if err == nil {
			p = p.follow("&"+btf.Name(t), t)
			p.labels[len(p.labels)-1].kernel = true
		}
		return p, err
	}
	p := route{typ: t}
	switch {
	case param.Regs > 0:
		p.base, p.inReg = r.register(param.Reg), btf.IsStruct(t)
		if param.Regs > 1 {
			p.base2 = r.register(param.Reg + 1)
			if !btf.IsStruct(t) {
				return p, errors.New("a 128-bit value does not fit a fetcharg")
			}
		}
	case r.target.Arch.FirstStack < 0:
		return p, errors.New("it is on the stack, which cannot be fetched on this architecture")
	case param.Words > 1 || btf.IsStruct(t):
		p.base, p.mem, p.off = dynevent.Base{Kind: dynevent.StackPointer}, true, int64(param.Word*r.target.Arch.WordSize)
		p.labels = []label{{}}
	default:
		p.base = dynevent.Base{Kind: dynevent.StackN, N: int64(param.Word)}
	}
	return p, nil
}
