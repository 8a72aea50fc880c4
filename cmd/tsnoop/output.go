package main

import (
	"cmp"
	"errors"
	"os"
	"syscall"

	"github.com/tsnoop/tsnoop/render"
	"golang.org/x/term"
)

// An output is where data go. Calls are shown through its Stream.
type output struct {
	*render.Stream // nil before begin

	file     *os.File
	own      bool // it was opened here
	terminal bool
	color    bool
}

// newOutput opens --output, or takes stdout.
func newOutput(o *options) (*output, error) {
	out := &output{file: os.Stdout}
	if o.output != "" && o.output != "-" {
		f, err := createFile(o.output)
		if err != nil {
			return nil, usagef("", "cannot write the output: %v", err)
		}
		out.file, out.own = f, true
	}
	out.terminal = term.IsTerminal(int(out.file.Fd()))
	out.color = useColor(o.color, out.file)
	return out, nil
}

// begin takes the sink that is to show the calls.
func (o *output) begin(sink render.Sink) {
	o.Stream = render.NewStream(o.file, sink, o.terminal)
}

// columns tells how many columns a terminal has at the moment it is asked; nil if the
// output is none. To ask costs less than to follow SIGWINCH, for each line of a terminal
// is written by itself.
func (o *output) columns() func() int {
	if !o.terminal {
		return nil
	}
	return func() int { return columns(o.file) }
}

// width is how many columns a line may take.
func (o *output) width() int {
	return cmp.Or(columns(o.file), 80)
}

// Close writes the rest. A reader that went away is no error.
func (o *output) Close() (err error) {
	if o.Stream != nil {
		err = o.Stream.Close()
	}
	if o.own {
		err = firstError(err, o.file.Close())
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}
