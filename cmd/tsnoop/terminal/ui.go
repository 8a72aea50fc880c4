// Package terminal writes to stderr what a run has to say: warnings, errors with what
// helps, and how far something that takes long has got.
package terminal

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/term"
)

// A UI prints everything but data, as lines "tsnoop: ..." on stderr, with the name of the program. Its methods may be
// called by several goroutines.
type UI struct {
	Program        string // "" for tsnoop
	Stdout, Stderr io.Writer
	Terminal       bool // Stderr is a terminal
	Color          bool // use colour on Stderr
	Verbose        bool

	about string // what each message is about, a file; "" for the whole run
	whole *UI    // the UI of the whole run, nil for that itself

	mu    sync.Mutex // guards writes to stderr, and drawn
	drawn bool       // the terminal shows a line of progress
}

// New returns the UI of this process. color is as [UseColor] takes it.
func New(program, color string, verbose bool) *UI {
	return &UI{
		Program:  program,
		Stdout:   os.Stdout,
		Stderr:   os.Stderr,
		Terminal: term.IsTerminal(int(os.Stderr.Fd())),
		Color:    UseColor(color, os.Stderr),
		Verbose:  verbose,
	}
}

// About returns a UI whose messages begin with the name of a file, unless they contain it.
func (u *UI) About(file string) *UI {
	return &UI{Stdout: u.Stdout, Stderr: u.Stderr, Terminal: u.Terminal, Color: u.Color, Verbose: u.Verbose, about: file, whole: u}
}

// UseColor decides whether to use colour on f: as the user says, otherwise only on a
// terminal that has colours, and not if NO_COLOR is set (https://no-color.org).
func UseColor(mode string, f *os.File) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && !dumb() && term.IsTerminal(int(f.Fd()))
}

// dumb reports whether the terminal takes no escape sequences.
func dumb() bool { return os.Getenv("TERM") == "dumb" }

// columns returns the width of stderr in columns, 0 if it is not a terminal.
func (u *UI) columns() int {
	f, ok := u.Stderr.(*os.File)
	if !ok {
		return 0
	}
	return Columns(f)
}

// Columns returns the width of the terminal f in columns, 0 if f is not a terminal.
func Columns(f *os.File) int {
	w, _ := size(f)
	return w
}

// Rows is Columns for the height. It returns 0 also for a terminal that cannot move its
// cursor.
func Rows(f *os.File) int {
	if dumb() {
		return 0
	}
	_, h := size(f)
	return h
}

func size(f *os.File) (w, h int) {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return w, h
}

// Warn prints a message that does not end the run. A terminal gets it wrapped.
func (u *UI) Warn(format string, args ...any) {
	u.print(u.prefix(), fmt.Sprintf(format, args...), u.columns())
}

// prefix returns what each message begins with.
func (u *UI) prefix() string { return cmp.Or(u.Program, "tsnoop") + ": " }

// print prints a message after a prefix, wrapped for so many columns. 0 are any number.
func (u *UI) print(prefix, text string, columns int) {
	if u.about != "" && !strings.Contains(text, u.about) {
		text = u.about + ": " + text
	}
	out := render.AppendWrapped([]byte(prefix), render.AppendMessage(nil, text), len(prefix), len(prefix), columns)
	u.write(append(out, '\n'), false)
}

// draw draws a line that the next line or warning overwrites. It shortens the line to
// the width of the terminal, since a longer one could not be overwritten.
func (u *UI) draw(line string) {
	text := render.AppendMessage(nil, line)
	if w := u.columns(); w > 0 {
		text = render.Shorten(text, w-1)
	}
	u.write(text, line != "")
}

// write writes text, over the line that was drawn if there is one. Everything on stderr
// is written by it, in one piece.
func (u *UI) write(text []byte, drawn bool) {
	if u.whole != nil {
		u.whole.write(text, drawn)
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.drawn {
		text = append([]byte("\r\x1b[K"), text...)
	}
	if u.drawn = drawn; len(text) > 0 {
		u.Stderr.Write(text)
	}
}

// PrintWarning prints a warning of the engine.
func (u *UI) PrintWarning(w tracefs.Warning) {
	if w.More {
		w.Text += "; -v shows more"
	}
	if w.BufferKB > 0 {
		w.Text += fmt.Sprintf("; a bigger buffer helps: -b %dM", w.BufferKB>>10+1)
	}
	if w.Detail {
		u.Detail("%s", w.Text)
	} else {
		u.Warn("%s", w.Text)
	}
}

// Detail prints a message only with --verbose. It is not wrapped, because it may be a
// line to copy, such as what is written to a file.
func (u *UI) Detail(format string, args ...any) {
	if u.Verbose {
		u.print(u.prefix(), fmt.Sprintf(format, args...), 0)
	}
}

// Hint prints what helps, wrapped on a terminal. It prints nothing if text is empty.
func (u *UI) Hint(text string) {
	if text != "" {
		u.print("hint: ", text, u.columns())
	}
}
