package main

import (
	"fmt"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

// runVersion prints the version.
func runVersion(_ *flags.Options, ui *terminal.UI) error {
	_, err := fmt.Fprintf(ui.Stdout, "tsnoop %s\n", version())
	return err
}

// linked is the version of a build outside of git. Set it with -ldflags "-X
// main.linked=v1.2.3".
var linked string

func version() string { return program.Version(linked) }
