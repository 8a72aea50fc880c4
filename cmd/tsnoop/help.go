package main

import (
	_ "embed"
	"fmt"
	"runtime/debug"
)

func runVersion(_ *options, ui *ui) error {
	fmt.Fprintf(ui.stdout, "tsnoop %s\n", version())
	return nil
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

func runHelp(o *options, ui *ui) error {
	text := usage
	if len(o.args) > 0 {
		if text = helpTopics[o.args[0]]; text == "" {
			return usagef("tsnoop help, tsnoop help spec", "there is no help on %q", o.args[0])
		}
	}
	_, err := fmt.Fprint(ui.stdout, text)
	return err
}

// What help prints is text in files of its own.
var (
	//go:embed help/usage.txt
	usage string
	//go:embed help/spec.txt
	specHelp string
)

// helpTopics are what else there is help on.
var helpTopics = map[string]string{"spec": specHelp}
