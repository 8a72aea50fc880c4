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
	*btf.Func        // what it is to programs: sys_openat
	Symbol    string // the kernel's function: __x64_sys_openat
	Narrow    string // the one that 32-bit programs come to, "" if that is no other
}

// Describe writes what programs call, and where that is in the kernel.
func (f SyscallFunc) Describe(w io.Writer) {
	fmt.Fprintf(w, "%s;\n\t/* system call, in the kernel %s", f, f.Symbol)
	if f.Narrow != "" {
		fmt.Fprintf(w, ", from 32-bit programs %s", f.Narrow)
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
		f := SyscallFunc{Func: calls[0].fn, Symbol: calls[0].symbol}
		if len(calls) > 1 {
			f.Narrow = calls[1].symbol
		}
		funcs = append(funcs, f)
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
