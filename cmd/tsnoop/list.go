package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/preset"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render"
)

// runList prints the prototypes of the functions that match a pattern.
func runList(o *flags.Options, ui *terminal.UI) error {
	pattern := "*"
	switch len(o.Args) {
	case 0:
	case 1:
		pattern = o.Args[0]
	default:
		return flags.Errorf("run tsnoop list 'tcp_*'", "list takes one pattern")
	}
	if preset.Is(pattern) {
		return listPresets(pattern, ui.Stdout)
	}
	limitTypes(o.BTF)
	po, err := target.PlanOptions(o)
	if err != nil {
		return err
	}
	h, err := target.Host(o, false)
	if err != nil {
		return err
	}
	functions, err := h.Functions(pattern, po)
	if errors.Is(err, path.ErrBadPattern) {
		return badGlob(pattern, "tsnoop list 'tcp_*'")
	} else if err != nil {
		return target.NoModule(o, err)
	}
	const listing = 64 << 10 // of 4 MB for a kernel
	w, any := bufio.NewWriterSize(ui.Stdout, listing), false
	for f := range functions {
		any = true
		w.Write(f)
		if _, err := w.WriteString(";\n"); err != nil {
			return err
		}
	}
	if !any {
		return fmt.Errorf("no function that can be probed matches %q", pattern)
	}
	return w.Flush()
}

// badGlob returns the error for a pattern that cannot be matched.
func badGlob(pattern, example string) error {
	return flags.Errorf("write a glob with *, ?, [a-z] or [^a-z]: "+example, "%q is not a valid glob", pattern)
}

// listPresets prints the presets whose names match a pattern, and what they answer.
func listPresets(pattern string, w io.Writer) error {
	all, err := preset.Matching(strings.TrimPrefix(pattern, "@"))
	if err != nil {
		return badGlob(pattern, "tsnoop list '@tcp*'")
	}
	if len(all) == 0 {
		return fmt.Errorf("no preset matches %q", pattern)
	}
	for _, p := range all {
		line := fmt.Appendf(nil, "%-12s ", "@"+p.Name)
		line = render.AppendWrapped(line, []byte(p.Brief), len(line), len(line), terminal.Columns(os.Stdout))
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
