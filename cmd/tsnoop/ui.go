package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/term"
)

// A ui prints everything but data, as lines "tsnoop: ..." on stderr.
type ui struct {
	stdout, stderr io.Writer
	terminal       bool // stderr is a terminal
	color          bool // use colour on stderr
	verbose        bool

	mu    sync.Mutex // guards writes to stderr, and drawn
	drawn bool       // the terminal shows a line of progress
}

func newUI(o *flags.Options) *ui {
	return &ui{
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		color:    useColor(o.Color, os.Stderr),
		verbose:  o.Show.Verbose,
	}
}

// useColor decides whether to use colour on f: as the user says, otherwise only on a
// terminal, and not if NO_COLOR is set (https://no-color.org).
func useColor(mode string, f *os.File) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && term.IsTerminal(int(f.Fd()))
}

// columns returns the width of stderr in columns, 0 if it is not a terminal.
func (u *ui) columns() int {
	f, ok := u.stderr.(*os.File)
	if !ok {
		return 0
	}
	return columns(f)
}

// columns returns the width of the terminal f in columns, 0 if f is not a terminal.
func columns(f *os.File) int {
	w, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return w
}

// warn prints a message that does not end the run.
func (u *ui) warn(format string, args ...any) {
	text := render.AppendMessage([]byte("tsnoop: "), fmt.Sprintf(format, args...))
	u.write(append(text, '\n'), false)
}

// draw draws a line that the next line or warning overwrites. It shortens the line to
// the width of the terminal, since a longer one could not be overwritten.
func (u *ui) draw(line string) {
	text := render.AppendMessage(nil, line)
	if w := u.columns(); w > 0 {
		text = render.Shorten(text, w-1)
	}
	u.write(text, line != "")
}

// write writes text, over the line that was drawn if there is one. Everything on stderr
// is written by it, in one piece.
func (u *ui) write(text []byte, drawn bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.drawn {
		text = append([]byte("\r\x1b[K"), text...)
	}
	if u.drawn = drawn; len(text) > 0 {
		u.stderr.Write(text)
	}
}

// tell prints a warning of the engine.
func (u *ui) tell(w trace.Warning) {
	if w.More {
		w.Text += "; -v says more"
	}
	if w.BufferKB > 0 {
		w.Text += fmt.Sprintf("; a bigger buffer helps: -b %dM", w.BufferKB>>10+1)
	}
	if !w.Detail || u.verbose {
		u.warn("%s", w.Text)
	}
}

// detail prints a message only with --verbose.
func (u *ui) detail(format string, args ...any) {
	if u.verbose {
		u.warn(format, args...)
	}
}

func (u *ui) hint(text string) {
	if text != "" {
		u.write(append(render.AppendMessage([]byte("hint: "), text), '\n'), false)
	}
}

// wrong prints the errors in specs. A file that contains no specs may have a thousand.
func (u *ui) wrong(all spec.Errors) {
	const most = 50
	for _, e := range all[:min(len(all), most)] {
		u.write(render.AppendError(nil, e, u.color, u.columns()), false)
	}
	if len(all) > most {
		u.warn("%d more are wrong", len(all)-most)
	}
}

// report prints err and returns the exit status for it.
func (u *ui) report(err error) int {
	err = noTypes(err)
	var specs spec.Errors
	var use *flags.Error
	var machine *tracefs.MachineError
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &specs):
		u.wrong(specs)
		return 2
	case errors.As(err, &use):
		u.warn("%s", use.Msg)
		u.hint(use.Hint)
		return 2
	case errors.As(err, &machine):
		u.warn("%s", machine.Msg)
		u.hint(machine.Cure)
		return 1
	}
	u.warn("%v", err)
	return 1
}
