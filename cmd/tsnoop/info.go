package main

import (
	"bufio"
	"errors"
	"fmt"
	"path"
	"regexp"
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
				return err
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

// info prints one: a glob, a member of a type, a type if the name has two words,
// and otherwise a function or, if there is none, a type or an enum's constant.
func info(w *bufio.Writer, kernel *btf.Kernel, name string, more bool) error {
	if more && strings.ContainsAny(name, " .*?[>") {
		fmt.Fprintln(w)
	}
	switch {
	case isGlob(name):
		if _, err := path.Match(name, ""); err != nil {
			return usagef("tsnoop info 'tcp_*' 'struct sk_*'", "%q is no glob", name)
		}
		return infoGlob(w, kernel, name)
	case arrow.MatchString(name):
		return infoMember(w, kernel, name)
	case strings.Contains(name, " "):
		t, err := kernel.Type(name)
		if err != nil {
			return err
		}
		return kernel.Layout(w, t)
	}
	module, fn, found := strings.Cut(name, ":")
	if !found {
		module, fn = "", name
	}
	f, err := kernel.Func(module, fn)
	if err == nil {
		printFunc(w, f)
		return nil
	} else if !isMissing(err) {
		return err
	}
	if t, err := typeOf(kernel, name); err == nil {
		if more {
			fmt.Fprintln(w)
		}
		return kernel.Layout(w, t)
	}
	if infoConstant(w, kernel, name) == nil {
		return nil
	}
	return err
}

// typeSuffix is what may stand behind a type's name: stars and lengths of arrays.
var typeSuffix = regexp.MustCompile(`(\s\**)?(\[\d*\])*$`)

// isGlob tells a glob from a pointer's or array's type: "tcp_*" is one, "struct sock *"
// and "char *[4]" are not.
func isGlob(name string) bool {
	return strings.ContainsAny(typeSuffix.ReplaceAllString(name, ""), "*?[")
}

func printFunc(w *bufio.Writer, f *btf.Func) {
	fmt.Fprintf(w, "%s;\n", f)
	if f.Module != "" {
		fmt.Fprintf(w, "\t/* in module %s */\n", f.Module)
	}
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
	if err := w.Flush(); err != nil {
		return err
	}
	if shown == 0 {
		return fmt.Errorf("no function that can be probed matches %q", pattern)
	}
	return nil
}
