package main

import (
	"fmt"
	"io"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// syscallFuncs are the system calls that info and list are asked for.
func syscallFuncs(o *options, name string) ([]fetchargs.SyscallFunc, error) {
	po, err := o.planOptions()
	if err != nil {
		return nil, err
	}
	po.Lines = true
	fs, err := openTracefs(o)
	if err != nil {
		fs = nil
	}
	target, err := trace.NewMachine(fs).Target(po)
	if err != nil {
		return nil, err
	}
	return target.SyscallFuncs(name), nil
}

// describeSyscalls prints what programs call, and where that is in the kernel.
func describeSyscalls(w io.Writer, funcs []fetchargs.SyscallFunc) {
	for _, f := range funcs {
		fmt.Fprintf(w, "%s;\n\t/* system call, in the kernel %s", f, f.Symbol)
		if f.Narrow != "" {
			fmt.Fprintf(w, ", from 32-bit programs %s", f.Narrow)
		}
		fmt.Fprintf(w, " */\n")
	}
}
