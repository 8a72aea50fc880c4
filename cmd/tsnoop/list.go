package main

import (
	"bufio"
	"fmt"
)

// runList prints the prototypes of the functions that match a pattern.
func runList(o *options, ui *ui) error {
	pattern := "*"
	switch len(o.args) {
	case 0:
	case 1:
		pattern = o.args[0]
	default:
		return usagef("tsnoop list 'tcp_*'", "list takes one pattern")
	}
	kernel, err := kernelOf(o)
	if err != nil {
		return err
	}
	calls, err := syscallFuncs(o, pattern)
	if err != nil {
		return err
	}
	funcs, err := kernel.Funcs(pattern)
	if err != nil {
		return err
	}
	traceable := func(module, name string) bool { return true }
	if fs, err := openTracefs(o); err == nil && !o.foreign() {
		if known := fs.TraceableFunctions(); known != nil {
			traceable = known
		}
	}
	w := bufio.NewWriter(ui.stdout)
	shown := 0
	for _, f := range funcs {
		if !traceable(f.Module, f.Name) {
			continue
		}
		shown++
		if f.Module != "" {
			fmt.Fprintf(w, "%s:", f.Module)
		}
		fmt.Fprintf(w, "%s;\n", f)
	}
	for _, f := range calls {
		if shown++; traceable("", f.Symbol) || len(f.Params) == 0 {
			fmt.Fprintf(w, "%s;\n", f)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if shown == 0 {
		return fmt.Errorf("no function that can be probed matches %q", pattern)
	}
	return nil
}
