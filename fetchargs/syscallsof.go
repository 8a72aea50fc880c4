package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
)

// syscallProto returns the prototype of a system call. It is that of the table, with the
// further parameters that the kernel's own event has. If the event names the parameters
// differently, its own are used.
func (t *Target) syscallProto(name string) (syscalls.Proto, bool) {
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

// syscallNames returns the names of the system calls of this kernel, sorted.
func (t *Target) syscallNames() []string {
	var names []string
	if t.SyscallNames != nil {
		names = t.SyscallNames()
	}
	if len(names) == 0 {
		names = syscalls.Names()
	}
	known := t.entryPoints()
	names = slices.DeleteFunc(names, func(name string) bool {
		return !known["__do_sys_"+name] && !slices.ContainsFunc(t.Arch.Syscalls[0].Prefixes, func(prefix string) bool { return known[prefix+name] })
	})
	slices.Sort(names)
	return names
}
