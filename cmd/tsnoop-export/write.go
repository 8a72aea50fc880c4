package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs/outfile"
)

// A file is where the output goes: the file of --output, or stdout.
type file struct {
	f   *os.File
	own bool
}

// create opens the file that is written, unless that is also read.
func (o *options) create(inputs []*source) (file, error) {
	if o.output == "" || o.output == "-" {
		return file{f: os.Stdout}, nil
	}
	if info, err := os.Stat(o.output); err == nil && info.Mode().IsRegular() &&
		slices.ContainsFunc(inputs, func(in *source) bool { return os.SameFile(in.info, info) }) {
		return file{}, program.Errorf("", "--output %s: this file is also read, and would be overwritten: give another name", o.output)
	}
	f, err := outfile.Write(o.output)
	var refused *outfile.Refusal
	if errors.As(err, &refused) {
		return file{}, program.Errorf(refused.Hint, "cannot write the output: %v", refused)
	} else if err != nil {
		return file{}, program.Errorf("", "cannot write the output: %v", err)
	}
	return file{f, true}, nil
}

func (f file) close() error {
	if !f.own {
		return nil
	}
	return f.f.Close()
}

// interrupted returns a context that a signal cancels. The first one does not if there is a
// pipe to be read: a Ctrl-C also ends the tracer, whose last lines follow.
func interrupted(ui *terminal.UI, inputs []*source) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	wait := slices.ContainsFunc(inputs, func(in *source) bool { return !in.regular() })
	go func() {
		for range signals {
			if !wait {
				cancel()
				return
			}
			wait = false
			ui.Warn("reading what is left; Ctrl-C ends the export")
		}
	}()
	return ctx, cancel
}
