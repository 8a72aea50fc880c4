package main

import (
	"cmp"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
)

// runClean removes what dead runs left behind.
func runClean(o *flags.Options, ui *terminal.UI) error {
	fs, err := target.Tracefs(o)
	if err != nil {
		return err
	}
	removed, err := fs.Clean(ui.Detail)
	for _, r := range removed {
		_, failed := ui.Stdout.Write(append(render.AppendMessage(nil, "removed "+cleaned(r)), '\n'))
		err = cmp.Or(err, failed)
	}
	return err
}

// cleaned names what was removed.
func cleaned(r tracefs.Removed) string {
	switch {
	case !r.Instance:
		return plural.Of(r.Probes, "probe") + " of " + r.Name
	case r.Probes == 0:
		return "instance " + r.Name
	}
	return "instance " + r.Name + " and " + plural.Of(r.Probes, "probe")
}
