package main

import (
	"bufio"
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/specs"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

// runInfo prints the prototype of each function and the layout of each type in the
// arguments.
func runInfo(o *flags.Options, ui *terminal.UI) error {
	blank := func(name string) bool { return strings.TrimSpace(name) == "" }
	if len(o.Args) == 0 || slices.ContainsFunc(o.Args, blank) {
		return flags.Errorf("run tsnoop info ip_rcv 'struct sk_buff'", "which function or type?")
	}
	others, err := describeRecordings(ui.Stdout, o.Args)
	if err != nil || len(others) == 0 {
		return err
	}
	o.Args = others
	limitTypes(o.BTF)
	po, err := target.PlanOptions(o)
	if err != nil {
		return err
	}
	h, err := target.Host(o, false)
	if err != nil {
		return err
	}
	kernel := cmp.Or(po.Kernel, btf.Running())
	w := bufio.NewWriter(ui.Stdout)
	var failed error
	for i, name := range o.Args {
		if preset.Is(name) {
			p, err := specs.Preset(name)
			if err != nil {
				return cmp.Or(w.Flush(), err)
			}
			w.WriteString(p.Text)
			continue
		}
		known, err := h.Describe(name, po)
		if err != nil {
			return err
		}
		for _, d := range known {
			d.Describe(w)
		}
		if len(known) > 0 {
			continue
		}
		if err := kernel.Describe(w, name, i > 0); err != nil {
			w.Flush()
			if errors.Is(err, path.ErrBadPattern) {
				return badGlob(name, "tsnoop info 'tcp_*' 'struct sk_*'")
			}
			var missing *btf.NotFoundError
			if !errors.As(err, &missing) {
				return err
			}
			calls, err := h.Syscalls(name, po)
			if err != nil {
				return err
			}
			for _, c := range calls {
				c.Describe(w)
			}
			if len(calls) > 0 {
				continue
			}
			if err := target.NoModule(o, missing); err != error(missing) {
				failed = terminal.ExitStatus(ui.Report(err))
				continue
			}
			ui.Warn("%s", missing.Error())
			if len(missing.Suggestions) > 0 {
				ui.Hint("did you mean " + strings.Join(missing.Suggestions, ", ") + "?")
			}
			failed = terminal.ExitStatus(2)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return failed
}
