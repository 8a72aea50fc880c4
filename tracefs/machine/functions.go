package machine

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
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
	var missing *btf.NotFoundError
	if errors.As(err, &missing) && target.ModuleLoaded != nil && target.ModuleLoaded(missing.Name) {
		funcs, err = m.untyped(missing.Name, pattern)
	}
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

// untyped returns the functions that match a pattern in a module that has no BTF, from the
// symbol table, which writes "-" in its name as "_".
func (m *Machine) untyped(module, pattern string) (funcs []*btf.Func, err error) {
	_, glob, ok := strings.Cut(strings.TrimPrefix(pattern, "mod:"), ":")
	if !ok {
		glob = "*"
	}
	match, err := btf.Glob(glob)
	if err != nil {
		return nil, err
	}
	module = strings.ReplaceAll(module, "-", "_")
	names, err := m.Symbols.ModuleFuncs(module)
	slices.Sort(names)
	for _, name := range names {
		if match(name) {
			funcs = append(funcs, &btf.Func{Name: name, Module: module, Untyped: true})
		}
	}
	return funcs, err
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
