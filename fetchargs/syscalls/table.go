// Package syscalls is the table of system calls: their parameters as programs see them, what
// these hold or point to, and how 32-bit programs do the calls.
package syscalls

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Param is a parameter of a system call.
type Param struct {
	Type string // "const char *"; pointers are __user, which is not written
	Name string
	Own  string // its set of constants or its FORMAT; "" if it has none

	Declared string   // its type in the kernel's own event; "" if that is not known
	Content  *Content // what is shown of the memory that it points to; nil if nothing is
}

// A Proto is the prototype of a system call.
type Proto struct {
	Result string
	Params []Param
}

//go:embed syscalls.txt
var syscallText string

// table has the prototypes by name and by NAME@ARCH.
var table = sync.OnceValue(func() map[string]Proto {
	all := map[string]Proto{}
	for line := range strings.Lines(syscallText) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, proto := parse(line)
		all[name] = proto
	}
	return all
})

// Of returns the prototype of a system call on an architecture.
func Of(name, arch string) (Proto, bool) {
	proto, known := table()[name+"@"+arch]
	if !known {
		proto, known = table()[name]
	}
	return proto, known
}

// Names returns the names of all system calls, in no order.
func Names() []string { return slices.Collect(maps.Keys(table())) }

// parse parses "RESULT NAME(TYPE PARAM, ...)". The result is long if there is
// none.
func parse(line string) (name string, proto Proto) {
	name, list, _ := strings.Cut(strings.TrimSuffix(line, ")"), "(")
	proto.Result = "long"
	if i := strings.LastIndexAny(name, " *"); i >= 0 {
		proto.Result, name = strings.TrimSpace(name[:i+1]), name[i+1:]
	}
	for _, text := range strings.Split(list, ", ") {
		if text == "" {
			continue
		}
		text, own, _ := strings.Cut(text, "=")
		i := strings.LastIndexAny(text, " *") + 1
		p := Param{Type: strings.TrimSpace(text[:i]), Name: text[i:]}
		if p.Content = parseContent(own); p.Content == nil {
			p.Own = own
		}
		proto.Params = append(proto.Params, p)
	}
	return name, proto
}

// Alias returns the kernel's name of a system call that programs call name, "" if it has no
// other.
func Alias(name string) string { return aliases[name] }

// aliases maps the names of system calls in programs to the kernel's names, where
// the kernel has an older call under the first name, one that fills in structs that have
// become too small.
var aliases = map[string]string{
	"stat": "newstat", "lstat": "newlstat", "fstat": "newfstat", "fstatat": "newfstatat", "uname": "newuname",
	"umount2": "umount", "sendfile": "sendfile64", "prlimit": "prlimit64", "pread": "pread64", "pwrite": "pwrite64",
	"fadvise": "fadvise64", "_exit": "exit",
}
