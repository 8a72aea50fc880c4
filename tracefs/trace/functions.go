package trace

import (
	"fmt"

	"github.com/tsnoop/tsnoop/fetchargs"
)

// Functions are the prototypes of what can be probed and matches a glob, in C; those of
// modules have the module's name and a colon before them. System calls are as programs
// know them.
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

// Syscalls are the system calls of a name or glob.
func (m *Machine) Syscalls(name string, o PlanOptions) ([]fetchargs.SyscallFunc, error) {
	target, err := m.lines(o)
	if err != nil {
		return nil, err
	}
	return target.SyscallFuncs(name), nil
}

// lines is the target of what is only shown.
func (m *Machine) lines(o PlanOptions) (*fetchargs.Target, error) {
	o.Lines = true
	return m.Target(o)
}
