package main

import (
	"bufio"
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

// runList prints the prototypes of the functions that match a pattern.
func runList(o *flags.Options, ui *terminal.UI) error {
	pattern := "*"
	switch len(o.Args) {
	case 0:
	case 1:
		pattern = o.Args[0]
	default:
		return flags.Errorf("tsnoop list 'tcp_*'", "list takes one pattern")
	}
	if isPreset(pattern) {
		return listPresets(pattern, ui.Stdout)
	}
	po, err := planOptions(o)
	if err != nil {
		return err
	}
	m, err := machine(o, false)
	if err != nil {
		return err
	}
	functions, err := m.Functions(pattern, po)
	if err != nil {
		return err
	}
	if len(functions) == 0 {
		return fmt.Errorf("no function that can be probed matches %q", pattern)
	}
	w := bufio.NewWriter(ui.Stdout)
	for _, f := range functions {
		fmt.Fprintf(w, "%s;\n", f)
	}
	return w.Flush()
}
