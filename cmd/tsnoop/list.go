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
	if isPreset(pattern) {
		return listPresets(pattern, ui.stdout)
	}
	po, err := o.planOptions()
	if err != nil {
		return err
	}
	m, err := o.machine(false)
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
	w := bufio.NewWriter(ui.stdout)
	for _, f := range functions {
		fmt.Fprintf(w, "%s;\n", f)
	}
	return w.Flush()
}
