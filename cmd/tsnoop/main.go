// Tsnoop shows what kernel functions are given and what they give back.
//
// `tsnoop help` prints the command line, `tsnoop help spec` the language.
package main

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/live"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/specs"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

func init() {
	if live.Becomes(os.Args) {
		runtime.LockOSThread() // while init runs, this is the process's first thread
	}
}

func main() {
	if live.Becomes(os.Args) {
		os.Exit(live.Become(os.Args))
	}
	os.Exit(tsnoop())
}

// tsnoop runs the command line and returns the exit status: 0 for success, 1 if the
// machine refuses or lacks something, 2 if the command line or a spec is wrong.
func tsnoop() int {
	collectLater()
	// If the reader of our output goes away, the write should fail and not kill us: the
	// probes must be removed first. SIGPIPE is not ignored, because a program that we
	// start would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	o, err := flags.Parse(os.Args[1:])
	ui := terminal.New("tsnoop", o.Color, o.Show.Verbose)
	if err == nil {
		err = specs.Read(o)
	}
	if err == nil && o.Output == "" && o.Command != "record" && o.Command != "clean" && proc.StdoutClosed() {
		err = &tracefs.HostError{Msg: "stdout is closed, and the output has no other place",
			Hint: "write it to a file with --output FILE, or discard it with >/dev/null"}
	}
	if err == nil {
		err = commands[o.Command](o, ui)
	}
	if errors.Is(err, syscall.EPIPE) && o.Command != "record" {
		err = nil // who reads the output has read enough, as head does
	}
	o.Specs.Locate(err)
	o.HintCommand(err)
	return ui.Report(err)
}

// commands are what [flags.Commands] do.
var commands = map[string]func(*flags.Options, *terminal.UI) error{
	"trace":      runTrace,
	"info":       runInfo,
	"list":       runList,
	"record":     runRecord,
	"replay":     runReplay,
	"check":      runCheck,
	"bug":        runBug,
	"clean":      runClean,
	"completion": runCompletion,
	"help":       runHelp,
	"version":    runVersion,
	"__manual":   runManual,
	"__complete": runComplete,
}
