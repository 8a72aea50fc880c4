// Tsnoop-export writes the calls that tsnoop has traced to where a team looks.
//
// `tsnoop-export help` prints the command line.
package main

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
)

const name = "tsnoop-export"

func main() { os.Exit(export()) }

// export runs the command line and returns the exit status: 0 for success, 1 if something
// could not be read or did not arrive, 2 if the command line is wrong.
func export() int {
	// A write to a reader that has gone away should fail, and not kill us.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	o, err := parse(os.Args[1:])
	ui := terminal.New(name, "never", false)
	if err == nil {
		err = o.run(ui)
	}
	if errors.Is(err, syscall.EPIPE) {
		err = nil // who reads the output has read enough, as head does
	}
	return ui.Report(err)
}

// run does what the command line asks for.
func (o *options) run(ui *terminal.UI) error {
	switch o.word {
	case "help":
		return runHelp(o, ui)
	case "version":
		return runVersion(ui)
	case "completion":
		return runCompletion(o, ui)
	case "__complete":
		return runComplete(o, ui)
	case "__manual":
		return runManual(o, ui)
	}
	return o.export(ui)
}
