package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

// runInfo prints the prototype of each function and the layout of each type
// that is named.
func runInfo(o *options, ui *ui) error {
	if len(o.args) == 0 {
		return usagef("tsnoop info ip_rcv 'struct sk_buff'", "which function or type?")
	}
	kernel, err := kernelOf(o)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(ui.stdout)
	var failed error
	for i, name := range typeNames(o.args) {
		if err := info(w, kernel, name, i > 0); err != nil {
			w.Flush()
			var missing *btf.NotFoundError
			if !errors.As(err, &missing) {
				return noTypes(err)
			}
			ui.warn("%s", missing.Error())
			if len(missing.Near) > 0 {
				ui.hint("did you mean " + strings.Join(missing.Near, ", ") + "?")
			}
			failed = errNotFound
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return failed
}

// errNotFound ends a run whose errors were all shown.
var errNotFound = errors.New("not all that was named exists")

// info prints one: a name of two words is a type, any other a function or, if
// there is none, a type.
func info(w *bufio.Writer, kernel *btf.Kernel, name string, more bool) error {
	module, fn, found := strings.Cut(name, ":")
	if !found {
		module, fn = "", name
	}
	f, err := kernel.Func(module, fn)
	var missing *btf.NotFoundError
	if err == nil {
		fmt.Fprintf(w, "%s;\n", f)
		if f.Module != "" {
			fmt.Fprintf(w, "\t/* in module %s */\n", f.Module)
		}
		return nil
	} else if !errors.As(err, &missing) {
		return err
	}
	t, typeErr := kernel.Type(name)
	for _, keyword := range []string{"struct ", "union ", "enum "} {
		if typeErr == nil || strings.Contains(name, " ") {
			break
		}
		if other, err := kernel.Type(keyword + name); err == nil {
			t, typeErr = other, nil
		}
	}
	if typeErr != nil {
		if strings.Contains(name, " ") {
			return typeErr
		}
		return err
	}
	if more {
		fmt.Fprintln(w)
	}
	return kernel.Layout(w, t)
}

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
	funcs, err := kernel.Funcs(pattern)
	if err != nil {
		return noTypes(err)
	}
	traceable := func(module, name string) bool { return true }
	if fs, err := openTracefs(o); err == nil && !o.foreign() {
		if known := traceableFunctions(fs); known != nil {
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
	if err := w.Flush(); err != nil {
		return err
	}
	if shown == 0 {
		return fmt.Errorf("no function that can be probed matches %q", pattern)
	}
	return nil
}
