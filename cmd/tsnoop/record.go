package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/live"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/record"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// runRecord writes the pages of a trace to a trace.dat file. Nothing is decoded while
// it runs.
func runRecord(o *flags.Options, ui *terminal.UI) (err error) {
	if o.Recover != "" {
		return recordError(runRecover(o, ui))
	}
	if len(o.Args) == 0 {
		return flags.Errorf("run tsnoop record -o trace.dat 'vfs_read(count, return)'", "record which function?")
	}
	run, err := live.Begin(o, ui, false)
	if err != nil {
		return err
	}
	defer func() { err = run.End(recordError(err)) }()
	ro := record.Options{Count: o.Count, Compress: o.Compress, Sync: o.Sync}
	rec, err := record.New(cmp.Or(o.Output, "trace.dat"), ro, ui.PrintWarning)
	if err != nil {
		return err
	}
	defer func() { err = rec.Close(err) }()

	o.Trace.Ready, o.Trace.Program, o.Trace.Processes = func(t *trace.Trace) error { return t.BeginRecording(rec) }, "tsnoop "+version(), true
	return run.Trace(nil, ui.PrintWarning, func(ctx context.Context, t *trace.Trace, _ func()) error {
		done := ui.Watch(rec.String)
		err := t.Record(ctx, rec)
		done()
		if rec.Saved() {
			ui.Warn("%s: %s", rec.Name(), rec)
		}
		t.Losses().Report(ui.PrintWarning)
		return err
	})
}

// runRecover makes the file from what a recorder has left because it was killed or
// could not write the file.
func runRecover(o *flags.Options, ui *terminal.UI) error {
	if len(o.Args) > 0 || o.Program != nil || o.Output != "" {
		return flags.Errorf("run tsnoop record --recover FILE", "--recover makes FILE from what was recorded, and takes nothing else")
	}
	made, err := record.Recover(o.Recover, o.Compress, func(copied func() (n, all uint64)) func() {
		return ui.Watch(func() string {
			n, all := copied()
			return fmt.Sprintf("recovering %s: %s", o.Recover, terminal.Percent(n, all))
		})
	})
	if err != nil {
		return err
	}
	switch {
	case made.Pages > 0:
		ui.Warn("%s: left out %s at the end, damaged or cut; missing: %s that the recorder had taken", o.Recover, plural.Of(made.Pages, "page"), plural.Of(made.Missing, "event"))
	case made.Missing > 0:
		ui.Warn("%s: missing: %s that the recorder had taken, whose pages are not in the files that it left", o.Recover, plural.Of(made.Missing, "event"))
	}
	ui.Warn("%s: %s; how much was lost is not known", o.Recover, made.Size)
	if len(made.Gone) > 0 {
		return fmt.Errorf("%s lacks events: %s did not exist", o.Recover, strings.Join(made.Gone, ", "))
	}
	return nil
}

// notWhole says what to do about a recording that is not there, if a recorder has left its
// pages.
func notWhole(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) || !record.IsLeft(name) {
		return err
	}
	return &tracefs.HostError{Msg: err.Error(), Err: err,
		Hint: "run tsnoop record --recover " + name + ", unless a tsnoop still records to it"}
}

// recordError says what to do about the files of a recording.
func recordError(err error) error {
	var file *record.FileError
	var left *record.LeftError
	var kept *record.KeptError
	switch {
	case errors.As(err, &file):
		return flags.Errorf(file.Hint, "%v", file)
	case errors.As(err, &kept):
		m := &tracefs.HostError{Msg: err.Error(), Err: err}
		if kept.Recoverable {
			m.Hint = "fix the cause, then run tsnoop record --recover " + kept.Name
		}
		return m
	case errors.As(err, &left):
		m := &tracefs.HostError{Msg: err.Error(), Err: err}
		switch {
		case left.Recoverable && !left.Busy:
			m.Hint = fmt.Sprintf("run tsnoop record --recover %s, or remove them, or record to another file", left.Name)
		case !left.Busy:
			m.Hint = "run trace-cmd restore to make a file of them, or remove them, or record to another file"
		}
		return m
	}
	return err
}
