package main

import (
	"fmt"
	"runtime/debug"

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

// version returns the version of the tag, or the pseudo-version that Go derives from
// the commit.
func version() string {
	if linked != "" {
		return linked
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
