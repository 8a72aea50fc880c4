package fetchargs

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A SyscallParam is a parameter of a system call.
type SyscallParam struct {
	Type string // "const char *"; pointers are __user, which is not written
	Name string
	own  string // its set of constants or its FORMAT; "" if it has none

	declared string   // its type in the kernel's own event; "" if that is not known
	content  *content // what is shown of the memory that it points to; nil if nothing is
}

// A syscallProto is the prototype of a system call.
type syscallProto struct {
	result string
	params []SyscallParam
}

//go:embed syscalls.txt
var syscallText string

// syscallTable has the prototypes by name and by NAME@ARCH.
var syscallTable = sync.OnceValue(func() map[string]syscallProto {
	table := map[string]syscallProto{}
	for line := range strings.Lines(syscallText) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, proto := parseSyscall(line)
		table[name] = proto
	}
	return table
})

// parseSyscall parses "RESULT NAME(TYPE PARAM, ...)". The result is long if there is
// none.
func parseSyscall(line string) (name string, proto syscallProto) {
	name, list, _ := strings.Cut(strings.TrimSuffix(line, ")"), "(")
	proto.result = "long"
	if i := strings.LastIndexAny(name, " *"); i >= 0 {
		proto.result, name = strings.TrimSpace(name[:i+1]), name[i+1:]
	}
	for _, text := range strings.Split(list, ", ") {
		if text == "" {
			continue
		}
		text, own, _ := strings.Cut(text, "=")
		i := strings.LastIndexAny(text, " *") + 1
		p := SyscallParam{Type: strings.TrimSpace(text[:i]), Name: text[i:]}
		if p.content = parseContent(own); p.content == nil {
			p.own = own
		}
		proto.params = append(proto.params, p)
	}
	return name, proto
}

// syscallAliases maps the names of system calls in programs to the kernel's names, where
// the kernel has an older call under the first name, one that fills in structs that have
// become too small.
var syscallAliases = map[string]string{
	"stat": "newstat", "lstat": "newlstat", "fstat": "newfstat", "fstatat": "newfstatat", "uname": "newuname",
	"umount2": "umount", "sendfile": "sendfile64", "prlimit": "prlimit64", "pread": "pread64", "pwrite": "pwrite64",
	"fadvise": "fadvise64", "_exit": "exit",
}

// syscallProto returns the prototype of a system call. It is that of the table, with the
// further parameters that the kernel's own event has. If the event names the parameters
// differently, its own are used.
func (t *Target) syscallProto(name string) (syscallProto, bool) {
	proto, known := syscallTable()[name+"@"+t.Arch.Name]
	if !known {
		proto, known = syscallTable()[name]
	}
	if t.SyscallParams == nil {
		return proto, known
	}
	own, ok := t.SyscallParams(name)
	switch {
	case !ok:
	case !known:
		return syscallProto{result: "long", params: own}, true
	default:
		proto.params = slices.Clone(proto.params)
		for i, p := range own {
			if i == len(proto.params) {
				proto.params = append(proto.params, own[i:]...)
				break
			} else if p.Name != proto.params[i].Name {
				return syscallProto{result: proto.result, params: own}, true
			}
			proto.params[i].declared = p.Type
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
		names = slices.Collect(maps.Keys(syscallTable()))
	}
	known := t.entryPoints()
	names = slices.DeleteFunc(names, func(name string) bool {
		return !known["__do_sys_"+name] && !slices.ContainsFunc(t.Arch.Syscalls[0].Prefixes, func(prefix string) bool { return known[prefix+name] })
	})
	slices.Sort(names)
	return names
}
