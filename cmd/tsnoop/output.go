package main

import (
	"cmp"
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/term"
)

// An output is where data go. Calls are shown through its Stream.
type output struct {
	*render.Stream // nil before begin

	file     *os.File
	own      bool // it was opened here
	terminal bool
	color    bool
	total    *total // for the last line on stderr; nil if there is to be none

	mu     sync.Mutex              // for what follows, and for Stream until it is there
	early  []*tracefs.Interference // before begin
	silent bool                    // only what calls come to is wanted
}

// newOutput opens --output, or takes stdout.
func newOutput(o *options, ui *ui) (*output, error) {
	out := &output{file: os.Stdout, silent: o.summary == "only", total: newTotal(o, ui)}
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
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Stream = render.NewStream(o.file, sink, o.terminal)
	for _, i := range o.early {
		o.Interfered(i)
	}
	o.early = nil
}

// told takes what the engine has to say, for what belongs to the data, too. It may be
// called by several goroutines, before begin as well.
func (o *output) told(w trace.Warning) {
	if w.Interference == nil || o.silent {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.Stream == nil {
		o.early = append(o.early, w.Interference)
		return
	}
	o.Interfered(w.Interference)
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
