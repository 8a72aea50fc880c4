package route

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

// locateArgs returns the routes to the arguments of a system call. They are in the saved registers that the
// only parameter of the function points to.
func (r *Walker) locateArgs() ([]Route, []error) {
	c := r.fn.Call
	r.argWords = 1
	routes := make([]Route, len(c.Proto.Params))
	errs := slices.Clone(c.Lost)
	regs, err := r.fn.Target.Kernel.Type("struct pt_regs")
	for i, p := range c.Proto.Params {
		if errs[i] != nil {
			continue
		}
		if err != nil {
			errs[i] = err
			continue
		}
		off, err := registerOffset(regs, c.ABI.Regs[i])
		routes[i], errs[i] = Route{Type: p.Type, Base: r.register(0), Mem: true, Off: off, Labels: []Label{{}}}, err
		if r.Macros().Set(c.Own[i]) != nil {
			routes[i].Set = c.Own[i]
		}
	}
	return routes, errs
}

// registerOffset returns the offset in bytes of a register in struct pt_regs: "r10",
// "regs[3]".
func registerOffset(regs btf.Type, name string) (int64, error) {
	name, index, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	m, err := btf.Member(regs, name)
	n, _ := strconv.Atoi(index)
	return int64(m.Offset) + int64(8*n), err
}
