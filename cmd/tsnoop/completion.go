package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/complete"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/shell"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

// runCompletion prints a shell's completion script.
func runCompletion(o *flags.Options, ui *terminal.UI) error {
	shells := slices.Sorted(maps.Keys(shell.Scripts))
	if len(o.Args) != 1 || shell.Scripts[o.Args[0]] == "" {
		return flags.Errorf("run source <(tsnoop completion bash)", "completion is for one of %s", strings.Join(shells, ", "))
	}
	_, err := fmt.Fprint(ui.Stdout, shell.Scripts[o.Args[0]])
	return err
}

// runComplete answers such a script: SHELL LINE [BREAKS]. A line that it does not
// understand has no completions, and is not an error.
func runComplete(o *flags.Options, ui *terminal.UI) error {
	if len(o.Args) < 2 {
		return flags.Errorf("run tsnoop completion bash", "__complete is for the scripts of shells")
	}
	line, breaks := shell.Parse(o.Args[1], "tsnoop"), ""
	if len(o.Args) > 2 {
		breaks = o.Args[2]
	}
	return line.Write(ui.Stdout, o.Args[0], breaks, complete.Words(line.Words))
}
