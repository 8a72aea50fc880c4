package route

import (
	"errors"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
)

// locateParams returns the routes to the parameters of a function. A parameter whose place
// is not known, or that cannot be fetched, has an error instead.
func (r *Walker) locateParams() ([]Route, []error) {
	f := r.fn.Proto
	params, words := r.fn.Target.Arch.Params(f)
	r.argWords = words
	routes := make([]Route, len(params))
	errs := make([]error, len(params))
	for i, param := range params {
		if errs[i] = param.Err; param.Err == nil {
			routes[i], errs[i] = r.locateParam(f.Params[i].Type, param)
		}
	}
	return routes, errs
}

// locateParam returns the route to a parameter of type t.
func (r *Walker) locateParam(t btf.Type, param abi.Param) (Route, error) {
	if param.Pointer {
		param.Pointer = false
		p, err := r.locateParam(&btf.Pointer{Target: t}, param)
		if err == nil {
			p = p.Follow("&"+btf.Name(t), t)
			p.Labels[len(p.Labels)-1].kernel = true
		}
		return p, err
	}
	p := Route{Type: t}
	switch {
	case param.Regs > 0:
		p.Base, p.InReg = r.register(param.Reg), btf.IsStruct(t)
		if param.Regs > 1 {
			p.Base2 = r.register(param.Reg + 1)
			if !btf.IsStruct(t) {
				return p, errors.New("a 128-bit value does not fit a fetcharg")
			}
		}
	case r.fn.Target.Arch.FirstStack < 0:
		return p, errors.New("it is on the stack, which cannot be fetched on this architecture")
	case param.Words > 1 || btf.IsStruct(t):
		p.Base, p.Mem, p.Off = dynevent.Base{Kind: dynevent.StackPointer}, true, int64(param.Word*r.fn.Target.Arch.WordSize)
		p.Labels = []Label{{}}
	default:
		p.Base = dynevent.Base{Kind: dynevent.StackN, N: int64(param.Word)}
	}
	return p, nil
}
