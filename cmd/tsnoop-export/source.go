package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/input"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs/replay"
	"golang.org/x/term"
)

// A source is an open input.
type source struct {
	name string
	file *os.File
	info os.FileInfo
	n    atomic.Int64 // bytes that were read
}

// openInputs opens the files, so that one that is missing is reported at once. - is stdin.
func openInputs(names []string) (all []*source, err error) {
	for _, name := range names {
		in := &source{name: stdin, file: os.Stdin}
		if name != "-" {
			in.name = name
			if in.file, err = os.Open(name); err != nil {
				return nil, err
			}
		}
		if in.info, err = in.file.Stat(); err != nil {
			return nil, err
		}
		if in.info.IsDir() {
			return nil, program.Errorf(fmt.Sprintf("name its files: %s/*.dat", name), "%s is a directory", name)
		}
		all = append(all, in)
	}
	return all, nil
}

// regular reports whether the input is a file, and not a pipe, which may make readers wait.
func (in *source) regular() bool { return in.info.Mode().IsRegular() }

// read exports the input.
func (in *source) read(ctx context.Context, out output.Output, ui *terminal.UI) error {
	defer in.watch(ui)()
	if in.regular() && replay.IsRecording(in.file) {
		return input.Recording(ctx, in, in.info.Size(), in.name, out, ui.PrintWarning)
	}
	buffered := bufio.NewReaderSize(in.reader(ctx), 64<<10)
	switch first, err := buffered.Peek(1); {
	case err == io.EOF:
		return fmt.Errorf("%s is empty: no calls were exported", in.name)
	case err != nil:
		return err
	case first[0] == '{' || first[0] == '\n':
		return input.Lines(ctx, buffered, in.name, out)
	case !in.regular() && !replay.IsText(buffered):
		return program.Errorf("name the file: "+name+" folded FILE", "%s is not text, and only text can be read from a pipe", in.name)
	}
	return program.Errorf("give a recording (tsnoop record -o trace.dat SPEC) or what tsnoop --json prints", "%s is neither a recording nor lines of JSON", in.name)
}

// reader returns what reads the input.
func (in *source) reader(ctx context.Context) io.Reader {
	if in.regular() {
		return in
	}
	return newWaiter(ctx, in)
}

// Read and ReadAt count what is read.
func (in *source) Read(b []byte) (int, error) {
	n, err := in.file.Read(b)
	in.n.Add(int64(n))
	return n, err
}

func (in *source) ReadAt(b []byte, off int64) (int, error) {
	n, err := in.file.ReadAt(b, off)
	in.n.Add(int64(n))
	return n, err
}

// watch reports on a terminal how much of a file was read, until stop is called, unless the
// output itself is shown there.
func (in *source) watch(ui *terminal.UI) (stop func()) {
	if !in.regular() || term.IsTerminal(int(os.Stdout.Fd())) {
		return func() {}
	}
	return ui.Watch(func() string {
		return fmt.Sprintf("exporting %s: %s", in.name, terminal.Percent(uint64(in.n.Load()), uint64(in.info.Size())))
	})
}

// A waiter reads ahead from a pipe. Its reader does not wait any longer when the context is
// canceled, though the pipe's writer may never write again.
type waiter struct {
	ctx  context.Context
	full chan piece
	free chan []byte
	rest []byte // of the piece that is being read
	now  piece
}

// A piece is what one read has returned.
type piece struct {
	b   []byte
	err error
}

func newWaiter(ctx context.Context, from io.Reader) *waiter {
	const pieces, size = 2, 64 << 10
	w := &waiter{ctx: ctx, full: make(chan piece, pieces), free: make(chan []byte, pieces)}
	for range pieces {
		w.free <- make([]byte, size)
	}
	go func() {
		for b := range w.free {
			n, err := from.Read(b)
			w.full <- piece{b[:n], err}
			if err != nil {
				return
			}
		}
	}()
	return w
}

func (w *waiter) Read(b []byte) (int, error) {
	for len(w.rest) == 0 {
		if w.now.err != nil {
			return 0, w.now.err
		}
		if w.now.b != nil {
			w.free <- w.now.b[:cap(w.now.b)]
			w.now.b = nil
		}
		select {
		case <-w.ctx.Done():
			return 0, w.ctx.Err()
		case w.now = <-w.full:
			w.rest = w.now.b
		}
	}
	n := copy(b, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}
