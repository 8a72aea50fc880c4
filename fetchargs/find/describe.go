package find

import (
	"fmt"
	"io"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// A SyscallFunc is a system call of a kernel, under the name that specs use.
type SyscallFunc struct {
	*btf.Func          // the prototype that programs see, as the kernel declares it: sys_openat
	Symbol    string   // the kernel's function: __x64_sys_openat
	Narrow    []string // functions that 32-bit programs call instead, if any
}

// Describe writes the prototype that programs see, and the function in the kernel.
func (f SyscallFunc) Describe(w io.Writer) {
	fmt.Fprintf(w, "%s;\n\t/* system call, in the kernel %s", f, f.Symbol)
	if len(f.Narrow) > 0 {
		fmt.Fprintf(w, ", from 32-bit programs %s", strings.Join(f.Narrow, ", "))
	}
	fmt.Fprintf(w, " */\n")
}

// SyscallFuncs returns the system calls that match a name or glob, written as in a spec:
// "openat", "sys_open*", "syscall:*".
func SyscallFuncs(t *target.Target, name string) []SyscallFunc {
	s := &spec.Spec{Func: spec.Name{Text: name}}
	if module, rest, ok := strings.Cut(name, ":"); ok {
		s.Module.Text, s.Func.Text = module, rest
	}
	var funcs []SyscallFunc
	add := func(calls []*Syscall) {
		for i, c := range calls {
			if i > 0 && !calls[0].ABI.Narrow {
				funcs[len(funcs)-1].Narrow = append(funcs[len(funcs)-1].Narrow, c.symbol)
				continue
			}
			funcs = append(funcs, SyscallFunc{Func: c.Source, Symbol: c.symbol})
		}
	}
	if !spec.IsGlob(s.Func.Text) {
		add(namedSyscalls(t, s))
		return funcs
	}
	for _, c := range matchingSyscalls(t, s) {
		if c.ABI.Narrow {
			add([]*Syscall{c})
		} else {
			add(callsNamed(t, c.Name))
		}
	}
	return funcs
}
