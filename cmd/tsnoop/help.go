package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/help"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

// runHelp prints the usage, or the text on a topic.
func runHelp(o *flags.Options, ui *terminal.UI) error {
	text := help.Usage()
	if len(o.Args) > 0 {
		if text = help.Topics()[o.Args[0]]; text == "" {
			commands := "choose from tsnoop help"
			for _, topic := range slices.Sorted(maps.Keys(help.Topics())) {
				commands += ", tsnoop help " + topic
			}
			return flags.Errorf(commands, "there is no help on %q", o.Args[0])
		}
	}
	_, err := fmt.Fprint(ui.Stdout, text)
	return err
}

// runManual prints a page of the manual as roff, or the names of all pages. Packages
// are built with it.
func runManual(o *flags.Options, ui *terminal.UI) error {
	for _, p := range help.Pages() {
		name := fmt.Sprintf("%s.%d", p.Name, p.Section)
		text := name + "\n"
		if len(o.Args) > 0 {
			if o.Args[0] != name {
				continue
			}
			text = p.Roff()
		}
		if _, err := fmt.Fprint(ui.Stdout, text); err != nil || len(o.Args) > 0 {
			return err
		}
	}
	if len(o.Args) > 0 {
		return flags.Errorf("run tsnoop __manual", "there is no page %q", o.Args[0])
	}
	return nil
}
