package main

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/tsnoop/tsnoop/render"
	"golang.org/x/term"
)

// idle is how long a line may stay in memory before it is written.
const idle = 50 * time.Millisecond

// full is when a buffer is written at once.
const full = 64 << 10

// An output takes the lines of data. On a terminal each is written at once;
// elsewhere many together, but none waits for longer than idle.
type output struct {
	terminal bool
	color    bool

	sink  render.Sink // what shows the calls; nil before there are any
	file  *os.File
	mu    sync.Mutex // for all below
	err   error      // of a write; a reader that has gone away is io.EOF
	buf   []byte
	timer *time.Timer
	own   bool // the file was opened here
}

// newOutput opens --output, or takes stdout.
func newOutput(o *options, ui *ui) (*output, error) {
	out := &output{file: os.Stdout}
	if o.output != "" && o.output != "-" {
		f, err := os.Create(o.output)
		if err != nil {
			return nil, usagef("", "cannot write the output: %v", err)
		}
		out.file, out.own = f, true
	}
	out.terminal = term.IsTerminal(int(out.file.Fd()))
	out.color = useColor(o.color, out.file)
	out.timer = time.AfterFunc(time.Hour, out.flushIdle)
	return out, nil
}

// begin takes the sink that is to show the calls. It is closed with the output.
func (o *output) begin(sink render.Sink) render.Sink {
	o.sink = sink
	o.line(sink.Open)
	return sink
}

// line takes what add appends. It returns whether it makes sense to go on.
func (o *output) line(add func([]byte) []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.buf) == 0 && !o.terminal {
		o.timer.Reset(idle)
	}
	o.buf = add(o.buf)
	if o.terminal || len(o.buf) >= full {
		o.flush()
	}
	return o.err == nil
}

// width is how many columns a line may take.
func (o *output) width() int {
	if o.terminal {
		if w, _, err := term.GetSize(int(o.file.Fd())); err == nil && w > 0 {
			return w
		}
	}
	return 80
}

func (o *output) flushIdle() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flush()
}

// flush writes what there is. After an error nothing more is written.
func (o *output) flush() {
	if len(o.buf) > 0 && o.err == nil {
		if _, err := o.file.Write(o.buf); errors.Is(err, syscall.EPIPE) {
			o.err = io.EOF
		} else {
			o.err = err
		}
	}
	o.buf = o.buf[:0]
}

// Close writes the rest. A reader that went away is no error.
func (o *output) Close() error {
	if o.sink != nil {
		o.line(o.sink.Close)
	}
	o.timer.Stop()
	o.flushIdle()
	if o.own {
		if err := o.file.Close(); o.err == nil {
			o.err = err
		}
	}
	if o.err == io.EOF {
		return nil
	}
	return o.err
}
