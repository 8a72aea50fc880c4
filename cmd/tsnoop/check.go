package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/host"
)

// errLacking ends a check that found that the machine lacks something tracing needs.
var errLacking = errors.New("this host lacks what tracing needs")

// runCheck prints what this host offers and what it lacks, and how to get it.
func runCheck(o *flags.Options, ui *terminal.UI) error {
	kernel, err := target.Kernel(o)
	if err != nil {
		return err
	}
	lacking := false
	for _, f := range host.Check(kernel, func() (*tracefs.FS, error) { return target.Tracefs(o) }) {
		mark := "ok"
		if f.Err != nil {
			mark = "no"
			lacking = lacking || f.Must
		}
		text := fmt.Appendf(nil, "%-3s %-24s ", mark, f.What)
		indent, columns := len(text), terminal.Columns(os.Stdout)
		text = render.AppendWrapped(text, render.AppendMessage(nil, f.Note), indent, indent, columns)
		if hint := hintOf(f); hint != "" {
			const lead = "hint: "
			text = fmt.Appendf(text, "\n%*s%s", indent, "", lead)
			text = render.AppendWrapped(text, render.AppendMessage(nil, hint), indent+len(lead), indent, columns)
		}
		if _, err := ui.Stdout.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	if lacking {
		return errLacking
	}
	return nil
}

// hintOf says how to get what a machine lacks, with flags of tsnoop if there are any.
func hintOf(f host.CheckResult) string {
	var m *tracefs.HostError
	switch {
	case f.Err == nil:
		return ""
	case errors.Is(f.Err, host.ErrArch):
		return "use " + strings.Join(abi.Names(), " or ") + "; --emit --arch writes lines for these"
	case errors.As(terminal.NoTypes(f.Err), &m):
		return m.Hint
	}
	return f.Hint
}
