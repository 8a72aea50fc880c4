package host

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/find"
)

// Functions yields the C prototypes of the functions that match the glob pattern and
// can be probed, sorted by name. A function of a module is prefixed with "MODULE:".
// If the pattern is GROUP:NAME, it yields what is in groups instead.
// System calls come last, with the parameters that programs know. Each text is valid until
// the next one.
func (h *Host) Functions(pattern string, o PlanOptions) (iter.Seq[[]byte], error) {
	o.Lines = true
	target, err := h.Target(o)
	if err != nil {
		return nil, err
	}
	if known := find.Describe(target, pattern); len(known) > 0 {
		return func(yield func([]byte) bool) {
			for _, d := range known {
				if !yield([]byte(d.String())) {
					return
				}
			}
		}, nil
	}
	funcs, err := target.Kernel.Prototypes(pattern)
	var missing *btf.NotFoundError
	if errors.As(err, &missing) && target.Modules != nil && !target.Lacks(missing.Name) {
		funcs, err = h.untyped(missing.Name, pattern)
	}
	if err != nil {
		return nil, err
	}
	traceable := func(module, name string) bool { return true }
	if h.FS != nil && !o.elsewhere() {
		if known := h.Traceable(); known != nil {
			traceable = known
		}
	}
	return func(yield func([]byte) bool) {
		var text []byte
		for f := range funcs {
			if !traceable(f.Module, f.Name) {
				continue
			}
			text = text[:0]
			if f.Module != "" {
				text = append(append(text, f.Module...), ':')
			}
			if text = append(text, f.Text...); !yield(text) {
				return
			}
		}
		for _, f := range find.SyscallFuncs(target, pattern) {
			if (traceable("", f.Symbol) || len(f.Params) == 0) && !yield([]byte(f.String())) {
				return
			}
		}
	}, nil
}

// untyped returns the functions that match a pattern in a module that has no BTF, from the
// symbol table, which writes "-" in its name as "_".
func (h *Host) untyped(module, pattern string) (iter.Seq[btf.Prototype], error) {
	_, glob, ok := strings.Cut(strings.TrimPrefix(pattern, "mod:"), ":")
	if !ok {
		glob = "*"
	}
	match, err := btf.Glob(glob)
	if err != nil {
		return nil, err
	}
	module = strings.ReplaceAll(module, "-", "_")
	names, err := h.Symbols.ModuleFuncs(module)
	slices.Sort(names)
	return func(yield func(btf.Prototype) bool) {
		for _, name := range names {
			f := &btf.Func{Name: name, Module: module, Untyped: true}
			if match(name) && !yield(btf.Prototype{FuncName: btf.FuncName{Module: module, Name: name}, Text: []byte(f.String())}) {
				return
			}
		}
	}, err
}

// Describe returns what matches the glob GROUP:NAME and is not a function of a module.
func (h *Host) Describe(pattern string, o PlanOptions) ([]find.Description, error) {
	if !strings.Contains(pattern, ":") {
		return nil, nil // no need to look at the machine
	}
	o.Lines = true
	target, err := h.Target(o)
	if err != nil {
		return nil, err
	}
	return find.Describe(target, pattern), nil
}

// Syscalls returns the system calls that match name, which may be a glob.
func (h *Host) Syscalls(name string, o PlanOptions) ([]find.SyscallFunc, error) {
	o.Lines = true
	target, err := h.Target(o)
	if err != nil {
		return nil, err
	}
	return find.SyscallFuncs(target, name), nil
}
