package target

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
)

// EntryPoints returns the functions of this kernel that may implement system calls. It
// finds them all at once, because looking up some hundred one by one takes long.
func (t *Target) EntryPoints() map[string]bool {
	if t.points == nil {
		t.points = map[string]bool{}
		names, _ := t.Kernel.FuncNames("vmlinux", "__*sys_*")
		for _, f := range names {
			t.points[f.Name] = true
		}
		t.listedPoints()
	}
	return t.points
}

// listedPoints adds functions that are only in the symbol table: BTF may lack a few
// (perf_event_open on 5.10).
func (t *Target) listedPoints() {
	if t.SyscallNames == nil || t.Symbols == nil {
		return
	}
	var symbols []string
	prefixes := t.Arch.Syscalls[0].Prefixes
	for _, name := range t.SyscallNames() {
		if !t.points["__do_sys_"+name] && !slices.ContainsFunc(prefixes, func(prefix string) bool { return t.points[prefix+name] }) {
			for _, way := range t.Arch.Syscalls {
				for _, prefix := range way.Prefixes {
					symbols = append(symbols, prefix+name)
				}
			}
		}
	}
	if len(symbols) == 0 {
		return
	}
	slices.Sort(symbols)
	facts, _ := t.Symbols(symbols, false)
	for _, symbol := range symbols {
		if len(facts[symbol].Offsets) > 0 {
			t.points[symbol] = true
		}
	}
}

// CallProto returns the prototype of a system call. It is that of the table, with the
// further parameters that the kernel's own event has. If the event names the parameters
// differently, its own are used.
func (t *Target) CallProto(name string) (syscalls.Proto, bool) {
	proto, known := syscalls.Of(name, t.Arch.Name)
	if t.SyscallParams == nil {
		return proto, known
	}
	own, ok := t.SyscallParams(name)
	switch {
	case !ok:
	case !known:
		return syscalls.Proto{Result: "long", Params: own}, true
	default:
		proto.Params = slices.Clone(proto.Params)
		for i, p := range own {
			if i == len(proto.Params) {
				proto.Params = append(proto.Params, own[i:]...)
				break
			} else if p.Name != proto.Params[i].Name {
				return syscalls.Proto{Result: proto.Result, Params: own}, true
			}
			proto.Params[i].Declared = p.Type
		}
	}
	return proto, known
}

// CallNames returns the names of the system calls of this kernel, sorted.
func (t *Target) CallNames() []string {
	var names []string
	if t.SyscallNames != nil {
		names = t.SyscallNames()
	}
	if len(names) == 0 {
		names = syscalls.Names()
	}
	known := t.EntryPoints()
	names = slices.DeleteFunc(names, func(name string) bool {
		return !known["__do_sys_"+name] && !slices.ContainsFunc(t.Arch.Syscalls[0].Prefixes, func(prefix string) bool { return known[prefix+name] })
	})
	slices.Sort(names)
	return names
}

// TypeOf returns a C type, or another one if this kernel's BTF does not have it.
func (t *Target) TypeOf(name, otherwise string) btf.Type {
	if typ, known := t.types[name]; known { // a glob asks for those of some hundred calls
		return typ
	}
	typ, err := t.Kernel.Type(name)
	if err != nil {
		typ, _ = t.Kernel.Type(otherwise)
	}
	if t.types == nil {
		t.types = map[string]btf.Type{}
	}
	t.types[name] = typ
	return typ
}
