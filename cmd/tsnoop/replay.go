package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/replay"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// runReplay shows a recording as a trace shows live calls.
func runReplay(o *flags.Options, ui *terminal.UI) (err error) {
	if len(o.Args) == 0 {
		return flags.Errorf("run tsnoop replay trace.dat", "which file?")
	}
	names, specs, err := splitRecordings(o.Args)
	switch {
	case err != nil:
		return err
	case len(names) > 1:
		return replayTogether(names, specs, o, ui)
	case len(o.Offsets) > 0:
		return flags.Errorf("name the others too: tsnoop replay --offset "+o.Offsets[0].Name+"=DUR FILE...", "--offset moves a recording against others, and there is one")
	}
	f, name := os.Stdin, "standard input"
	if o.Args[0] != "-" {
		if f, err = os.Open(o.Args[0]); err != nil {
			return notWhole(o.Args[0], err)
		}
		defer f.Close()
		name = f.Name()
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	limitMemory(info.Size())
	in := bufio.NewReaderSize(f, 64<<10)
	if _, err := in.Peek(1); err == io.EOF {
		return fmt.Errorf("%s is empty", name)
	} else if err != nil {
		return err
	}
	if replay.IsText(in) {
		defer watchReplay(o, ui, name, info, func() int64 {
			at, _ := f.Seek(0, io.SeekCurrent)
			return at
		})()
		return showText(in, name, o, ui)
	}
	if !info.Mode().IsRegular() {
		return flags.Errorf("run tsnoop replay FILE", "%s is not text, and only text can be read from a pipe", name)
	}
	if !ui.Terminal {
		return showReplay(f, info.Size(), name, o, ui)
	}
	read := &counted{f: f}
	defer watchReplay(o, ui, name, info, read.n.Load)()
	return showReplay(read, info.Size(), name, o, ui)
}

// watchReplay reports on a terminal how much of a file was read, until stop is called.
// It reports nothing for a pipe, or if the calls themselves are shown on the terminal.
func watchReplay(o *flags.Options, ui *terminal.UI, name string, info os.FileInfo, read func() int64) (stop func()) {
	if output.OnTerminal(o) || !info.Mode().IsRegular() {
		return func() {}
	}
	return ui.Watch(func() string {
		return fmt.Sprintf("replaying %s: %s", name, terminal.Percent(uint64(read()), uint64(info.Size())))
	})
}

// A counted is a file that counts how many bytes were read.
type counted struct {
	f io.ReaderAt
	n atomic.Int64 // bytes
}

func (c *counted) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.f.ReadAt(b, off)
	c.n.Add(int64(n))
	return n, err
}

// showReplay shows what is in a file of size bytes.
func showReplay(f io.ReaderAt, size int64, name string, o *flags.Options, ui *terminal.UI) (err error) {
	r, err := openReplay(f, size, name, o, ui)
	if err != nil {
		return err
	}
	out := output.New(o, ui)
	if err := setWindow(r, name, o); err != nil {
		return err
	}
	return showAll(r, &r.Stream, name, out, ui)
}

// A recording is a trace.dat file, or text.
type recording interface {
	Calls(context.Context) iter.Seq2[*calls.Call, error]
	Losses() *losses.Losses
	Damage() error
}

// showAll shows a recording, whose Reading is r, and reports what it lacks.
func showAll(rec recording, r *stream.Stream, name string, out *output.Output, ui *terminal.UI) (err error) {
	if err := out.Open(); err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()
	if err := out.Show(r, rec.Calls(context.Background())); err != nil {
		return err
	}
	out.Losses(rec.Losses())
	out.Origin(r.Origin)
	if err := rec.Damage(); err != nil {
		var pages *replay.DamagedPages
		if errors.As(err, &pages) {
			for _, p := range pages.Parts {
				ui.Warn("%v", p)
			}
		}
		return fmt.Errorf("%s: %w; what could be read is shown", name, err)
	}
	return nil
}

// openReplay opens a recording and selects from it.
func openReplay(f io.ReaderAt, size int64, name string, o *flags.Options, ui *terminal.UI) (*replay.File, error) {
	r, err := replay.Open(f, size, openOptions(o, name, ui))
	switch {
	case errors.Is(err, stream.ErrHalves):
		return nil, fmt.Errorf("%w: record it with --chain", err)
	case errors.Is(err, replay.ErrStacks):
		return nil, fmt.Errorf("%s has no stacks: record them with --kstack", name)
	case err != nil:
		return nil, err
	case !r.IsOwn() && o.Show.Time == render.TimeClock:
		return nil, flags.Errorf("", "%s does not contain the time of day; --time is rel, delta, boot or none", name)
	}
	if o.Tree {
		warnHalves(r.Plans, ui)
	}
	ui.LeftOut(r.Plans)
	for line := range strings.Lines(render.OriginText(r.Origin)) {
		ui.PrintWarning(tracefs.Warning{Text: strings.TrimSuffix(line, "\n"), Detail: true})
	}
	return r, target.CheckPlans(o, r.Plans)
}

// warnHalves says what a tree lacks because it was not recorded.
func warnHalves(plans []*plan.Plan, ui *terminal.UI) {
	var entries, returns []string // the functions without them
	for _, p := range plans {
		switch {
		case p.IsOwn() || p.Paired():
		case p.Entry() == nil:
			entries = append(entries, p.Spec.Func.Text)
		default:
			returns = append(returns, p.Spec.Func.Text)
		}
	}
	warnHalf(entries, "entries", ui)
	warnHalf(returns, "returns", ui)
}

func warnHalf(functions []string, lack string, ui *terminal.UI) {
	const most = 3 // names; a glob may have hundreds
	n := len(functions)
	switch {
	case n == 0:
	case n == 1:
		ui.Warn("%s was recorded without its %s: the tree does not show which calls it made; record it with --tree", functions[0], lack)
	default:
		names := strings.Join(functions[:min(n, most)], ", ")
		if n > most {
			names += fmt.Sprintf(" and %d more", n-most)
		}
		ui.Warn("%s were recorded without their %s: the tree does not show which calls they made; record them with --tree", names, lack)
	}
}

// openOptions says what to read of a recording.
func openOptions(o *flags.Options, name string, ui *terminal.UI) replay.Options {
	return replay.Options{
		Name: name, Begin: o.Begins(), Chain: o.Plan.Chain, Warn: ui.PrintWarning, Choice: replay.Choice{Pids: o.Trace.Pids, Comm: o.Plan.Comm, CPUs: o.Trace.CPUs},
		Specs: o.Args[1:], Pair: o.Pairs(), Measures: o.Plan.Measures,
		Process: o.Notation.Name == "json" || slices.Contains(o.By, sum.ByPID),
		Stacks:  o.Trace.Stacks, Symbols: o.Summary != "only" || slices.Contains(o.By, sum.ByCaller) || slices.Contains(o.By, sum.ByStack),
	}
}

// showText shows what somebody has copied out of trace or trace_pipe after the lines of
// the specs were given to a machine.
func showText(r io.Reader, name string, o *flags.Options, ui *terminal.UI) error {
	specs := o.Args[1:]
	switch {
	case len(specs) == 0:
		return flags.Errorf("run tsnoop replay "+o.Args[0]+" SPEC...", "%s is text, which does not show what its events are from: give the specs that --emit was given", name)
	case o.Trace.Stacks:
		return flags.Errorf("", "--kstack needs a trace.dat file: text does not show which event a stack belongs to")
	case o.Show.Time == render.TimeClock:
		return flags.Errorf("", "%s does not contain the time of day; --time is rel, delta, boot or none", name)
	case o.Windowed():
		return flags.Errorf("give it only the lines of that time", "--from and --to need a recording, and %s is text", name)
	}
	everybody := *o // the choice of calls is not in the lines
	everybody.Plan.Comm, everybody.Trace.CPUs = "", nil
	plans, err := target.LinePlans(&everybody, specs)
	if err != nil {
		return err
	}
	return showTextOf(r, name, plans, o, ui)
}

// showTextOf shows the events of plans.
func showTextOf(r io.Reader, name string, plans []*plan.Plan, o *flags.Options, ui *terminal.UI) error {
	if err := target.CheckPlans(o, plans); err != nil {
		return err
	}
	ui.LeftOut(plans)
	t, err := replay.OpenText(r, plans, openOptions(o, name, ui))
	if err != nil {
		return err
	}
	defer t.Close()
	return showAll(t, &t.Stream, name, output.New(o, ui), ui)
}
