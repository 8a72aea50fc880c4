package main

import (
	"cmp"
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

// runClean removes what dead runs left behind.
func runClean(o *flags.Options, ui *terminal.UI) error {
	fs, err := target.Tracefs(o)
	if err != nil {
		return err
	}
	removed, err := fs.Clean(ui.Detail)
	for _, name := range removed {
		_, failed := fmt.Fprintln(ui.Stdout, name)
		err = cmp.Or(err, failed)
	}
	return err
}
