// Tsnoop shows what kernel functions are given and what they give back.
//
// `tsnoop help` prints the command line, `tsnoop help spec` the language.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(tsnoop())
}

// tsnoop runs the command line and returns the exit status: 0 done, 1 the
// machine said no, 2 the command line or a spec is wrong.
func tsnoop() int {
	// A reader that goes away is an error of the write, not our death: the
	// probes have to be removed first. It is not ignored, for a program that is
	// started would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	o, err := parseArgs(os.Args[1:])
	ui := newUI(o)
	if err == nil {
		err = o.readSpecs()
	}
	if err == nil {
		err = o.command.run(o, ui)
	}
	o.specs.Locate(err)
	return ui.report(err)
}
