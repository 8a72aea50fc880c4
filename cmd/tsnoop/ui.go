package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/term"
)

// A ui is where everything but data is said: one line each to stderr, as
// "tsnoop: ...".
type ui struct {
	stdout, stderr io.Writer
	color          bool // on stderr
	verbose        bool

	mu    sync.Mutex // for what follows
	drawn bool       // a line of progress stands on the terminal
}

func newUI(o *options) *ui {
	return &ui{
		stdout:  os.Stdout,
		stderr:  os.Stderr,
		color:   useColor(o.color, os.Stderr),
		verbose: o.verbose,
	}
}

// useColor decides on colour for f: as the user says, else on terminals only,
// and never where NO_COLOR is set (https://no-color.org).
func useColor(mode string, f *os.File) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd()))
}

// warn says something that does not end the run.
func (u *ui) warn(format string, args ...any) {
	u.draw("")
	fmt.Fprintf(u.stderr, "tsnoop: "+format+"\n", args...)
}

// draw shows a line that the next one, or a warning, is written over.
func (u *ui) draw(line string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.drawn {
		fmt.Fprint(u.stderr, "\r\x1b[K")
	}
	fmt.Fprint(u.stderr, line)
	u.drawn = line != ""
}

// detail says something for --verbose only.
func (u *ui) detail(format string, args ...any) {
	if u.verbose {
		u.warn(format, args...)
	}
}

func (u *ui) hint(text string) {
	if text != "" {
		fmt.Fprintf(u.stderr, "hint: %s\n", text)
	}
}

// report says what err is and returns the exit status for it.
func (u *ui) report(err error) int {
	var specs fetchargs.Errors
	var use *usageError
	var machine *tracefs.MachineError
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &specs):
		for _, e := range specs {
			u.stderr.Write(render.AppendError(nil, e, u.color))
		}
		return 2
	case errors.As(err, &use):
		u.warn("%s", use.msg)
		u.hint(use.hint)
		return 2
	case errors.As(err, &machine):
		u.warn("%s", machine.Msg)
		u.hint(machine.Cure)
		return 1
	}
	u.warn("%v", err)
	return 1
}
