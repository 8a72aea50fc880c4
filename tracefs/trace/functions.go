package trace

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs"
)

// Functions returns the C prototypes of the functions that match the glob pattern and
// can be probed, sorted by name. A function of a module is prefixed with "MODULE:".
// System calls come last, with the parameters that programs know.
func (m *Machine) Functions(pattern string, o PlanOptions) ([]string, error) {
	target, err := m.lines(o)
	if err != nil {
		return nil, err
	}
	funcs, err := target.Kernel.Funcs(pattern)
	if err != nil {
		return nil, err
	}
	traceable := func(module, name string) bool { return true }
	if target.Traceable != nil {
		if known := target.Traceable(); known != nil {
			traceable = known
		}
	}
	var prototypes []string
	for _, f := range funcs {
		switch {
		case !traceable(f.Module, f.Name):
		case f.Module != "":
			prototypes = append(prototypes, fmt.Sprintf("%s:%s", f.Module, f))
		default:
			prototypes = append(prototypes, f.String())
		}
	}
	for _, f := range target.SyscallFuncs(pattern) {
		if traceable("", f.Symbol) || len(f.Params) == 0 {
			prototypes = append(prototypes, f.String())
		}
	}
	return prototypes, nil
}

// Syscalls returns the system calls that match name, which may be a glob.
func (m *Machine) Syscalls(name string, o PlanOptions) ([]fetchargs.SyscallFunc, error) {
	target, err := m.lines(o)
	if err != nil {
		return nil, err
	}
	return target.SyscallFuncs(name), nil
}

// lines returns the target for something that is only shown.
func (m *Machine) lines(o PlanOptions) (*fetchargs.Target, error) {
	o.Lines = true
	return m.Target(o)
}
