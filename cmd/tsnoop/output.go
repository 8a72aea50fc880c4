package main

import (
	"cmp"
	"errors"
	"os"
	"sync"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/term"
)

// An output is where data goes. Calls are shown through its Stream.
type output struct {
	*render.Stream // nil before begin

	file     *os.File
	own      bool // the file was opened here
	terminal bool
	color    bool
	total    *total // for the last line on stderr; nil if there is none

	mu     sync.Mutex              // guards the fields below, and Stream until it is set
	early  []*tracefs.Interference // received before begin
	silent bool                    // only summaries are wanted
}

// newOutput opens the file of --output, or uses stdout.
func newOutput(o *flags.Options, ui *ui) (*output, error) {
	out := &output{file: os.Stdout, silent: o.Summary == "only", total: newTotal(o, ui)}
	if o.Output != "" && o.Output != "-" {
		f, err := createFile(o.Output)
		if err != nil {
			return nil, flags.Errorf("", "cannot write the output: %v", err)
		}
		out.file, out.own = f, true
	}
	out.terminal = term.IsTerminal(int(out.file.Fd()))
	out.color = useColor(o.Color, out.file)
	return out, nil
}

// begin sets the sink that shows the calls.
func (o *output) begin(sink render.Sink) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Stream = render.NewStream(o.file, sink, o.terminal)
	for _, i := range o.early {
		o.Interfered(i)
	}
	o.early = nil
}

// told receives the engine's warnings and writes those that belong to the data. It may
// be called by several goroutines, also before begin.
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

// columns returns a function that returns the current width of the terminal in columns,
// or nil if the output is not a terminal. To ask for each line costs less than to
// handle SIGWINCH, since each line is written to a terminal separately.
func (o *output) columns() func() int {
	if !o.terminal {
		return nil
	}
	return func() int { return columns(o.file) }
}

// width returns how many columns a line may have.
func (o *output) width() int {
	return cmp.Or(columns(o.file), 80)
}

// Close writes the rest. It is no error if the reader has gone away.
func (o *output) Close() (err error) {
	if o.Stream != nil {
		err = o.Stream.Close()
	}
	if o.own {
		err = cmp.Or(err, o.file.Close())
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}
