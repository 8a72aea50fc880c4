package fetchargs

import (
	"fmt"
	"io"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A SyscallFunc is a system call of a kernel, as specs know it.
type SyscallFunc struct {
	*btf.Func          // what it is to programs: sys_openat
	Symbol    string   // the kernel's function: __x64_sys_openat
	Narrow    []string // those that 32-bit programs come to, if they are others
}

// Describe writes what programs call, and where that is in the kernel.
func (f SyscallFunc) Describe(w io.Writer) {
	fmt.Fprintf(w, "%s;\n\t/* system call, in the kernel %s", f, f.Symbol)
	if len(f.Narrow) > 0 {
		fmt.Fprintf(w, ", from 32-bit programs %s", strings.Join(f.Narrow, ", "))
	}
	fmt.Fprintf(w, " */\n")
}

// SyscallFuncs are the system calls of a name or glob, as a spec would take it:
// "openat", "sys_open*", "syscall:*".
func (t *Target) SyscallFuncs(name string) []SyscallFunc {
	s := &spec.Spec{Func: spec.Name{Text: name}}
	if module, rest, ok := strings.Cut(name, ":"); ok {
		s.Module.Text, s.Func.Text = module, rest
	}
	var funcs []SyscallFunc
	add := func(calls []*syscall) {
		for i, c := range calls {
			if i > 0 && !calls[0].abi.Narrow {
				funcs[len(funcs)-1].Narrow = append(funcs[len(funcs)-1].Narrow, c.symbol)
				continue
			}
			funcs = append(funcs, SyscallFunc{Func: c.fn, Symbol: c.symbol})
		}
	}
	if !spec.IsGlob(s.Func.Text) {
		if calls := t.namedSyscalls(s); len(calls) > 0 {
			add(calls)
		}
		return funcs
	}
	for _, c := range t.matchingSyscalls(s) {
		if c.abi.Narrow {
			add([]*syscall{c})
		} else {
			add(t.syscalls(c.name))
		}
	}
	return funcs
}
