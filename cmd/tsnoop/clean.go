package main

import (
	"cmp"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render"
)

// runClean removes what dead runs left behind.
func runClean(o *flags.Options, ui *terminal.UI) error {
	fs, err := target.Tracefs(o)
	if err != nil {
		return err
	}
	removed, err := fs.Clean(ui.Detail)
	for _, name := range removed {
		_, failed := ui.Stdout.Write(append(render.AppendMessage(nil, name), '\n'))
		err = cmp.Or(err, failed)
	}
	return err
}
