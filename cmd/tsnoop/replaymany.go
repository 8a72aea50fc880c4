package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/output"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/target"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/merge"
	"github.com/tsnoop/tsnoop/tracefs/replay"
	"github.com/tsnoop/tsnoop/tracefs/stream"
)

// eachHolds is how many bytes of its pages one of several recordings holds, about.
const eachHolds = 768 << 10

// A fleet is the recordings that are replayed together.
type fleet struct {
	o      *flags.Options
	ui     *terminal.UI
	specs  []string
	shared *replay.Shared
	all    []*merge.Recording
	files  []*os.File
	size   int64        // of all files, in bytes
	read   atomic.Int64 // bytes
	used   []bool       // specs that select something of a recording
	errs   spec.Errors  // of the first recording that a spec selects nothing of
	failed bool         // a file could not be read
}

// replayTogether shows several recordings on one time line.
func replayTogether(names, specs []string, o *flags.Options, ui *terminal.UI) error {
	limitMemoryOf(len(names))
	f := &fleet{o: o, ui: ui, specs: specs, shared: replay.NewShared(eachHolds), used: make([]bool, len(specs))}
	defer f.close()
	for _, name := range names {
		if err := f.open(name); err != nil {
			return err
		}
	}
	if err := f.check(); err != nil {
		return err
	}
	f.leaveOutCopies()
	t := merge.New(f.all)
	if err := f.correct(t); err != nil {
		return err
	}
	if len(o.Offsets) > 0 {
		t = merge.New(f.all)
	}
	if err := f.checkTimes(t); err != nil {
		return err
	}
	f.describe(t)
	return f.show(t)
}

func (f *fleet) close() {
	for _, file := range f.files {
		file.Close()
	}
}

// open opens a recording. Others are shown if it cannot be read; an error is about the command
// line.
func (f *fleet) open(name string) error {
	file, size, err := openRecording(name)
	if err == nil {
		f.files = append(f.files, file)
		var r *replay.File
		if r, err = f.choose(&counting{file, &f.read}, size, name); err == nil {
			f.all = append(f.all, &merge.Recording{File: r, Name: name, Size: size})
			f.size += size
			return nil
		}
	}
	var use *flags.Error
	var wrong spec.Errors
	switch {
	case errors.As(err, &use):
		return err
	case errors.As(err, &wrong):
		if f.errs == nil {
			f.errs = wrong
		}
		f.ui.About(name).Warn("it is left out: %v", wrong[0].Msg)
	default:
		f.failed = true
		f.ui.About(name).Warn("%v; the other recordings are shown", notWhole(name, err))
	}
	return nil
}

// openRecording opens a file that must be a recording.
func openRecording(name string) (f *os.File, size int64, err error) {
	if f, err = os.Open(name); err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is not a regular file", name)
	case info.Size() == 0:
		err = fmt.Errorf("%s is empty", name)
	case !replay.IsRecording(f):
		err = fmt.Errorf("%s is not a recording", name)
	default:
		return f, info.Size(), nil
	}
	f.Close()
	return nil, 0, err
}

// A counting file adds the bytes that are read of it to those of all.
type counting struct {
	io.ReaderAt
	n *atomic.Int64
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, off)
	c.n.Add(int64(n))
	return n, err
}

// choose opens a recording and selects from it, with those of the specs that select something.
func (f *fleet) choose(r io.ReaderAt, size int64, name string) (*replay.File, error) {
	file, err := f.openWith(r, size, name, f.specs)
	if err == nil {
		for i := range f.used {
			f.used[i] = true
		}
	}
	var wrong spec.Errors
	if !errors.As(err, &wrong) || len(f.specs) < 2 || f.o.Plan.Chain {
		return file, err
	}
	var able []string
	for i, s := range f.specs {
		if _, err := f.openWith(r, size, name, []string{s}); err == nil {
			able, f.used[i] = append(able, s), true
		}
	}
	if len(able) == 0 {
		return nil, err
	}
	if f.errs == nil {
		f.errs = wrong
	}
	f.ui.About(name).Detail("%v", wrong[0].Msg)
	return f.openWith(r, size, name, able)
}

func (f *fleet) openWith(r io.ReaderAt, size int64, name string, specs []string) (*replay.File, error) {
	one := *f.o
	one.Args = append([]string{name}, specs...)
	ro := openOptions(&one, name, f.ui.About(name))
	ro.Shared = f.shared
	file, err := replay.Open(r, size, ro)
	switch {
	case errors.Is(err, stream.ErrHalves):
		return nil, flags.Errorf("record it with --chain", "%v", err)
	case errors.Is(err, replay.ErrStacks):
		return nil, flags.Errorf("record it with --kstack, or leave it out", "%s has no stacks", name)
	}
	return file, err
}

// check refuses what nothing can be shown of: no recording, or a spec that selects nothing of any.
func (f *fleet) check() error {
	if len(f.all) == 0 {
		if f.errs != nil {
			return f.errs
		}
		return terminal.ExitStatus(1)
	}
	for i, used := range f.used {
		if !used {
			return cmp.Or[error](f.about(f.specs[i]), f.errs)
		}
	}
	for _, r := range f.all {
		if f.o.Tree {
			warnHalves(r.Plans, f.ui.About(r.Name))
		}
		f.ui.About(r.Name).LeftOut(r.Plans)
		if err := target.CheckPlans(f.o, r.Plans); err != nil {
			return err
		}
	}
	return nil
}

// about returns those of the errors that are about a spec, nil if there are none.
func (f *fleet) about(text string) error {
	own := slices.DeleteFunc(slices.Clone(f.errs), func(e *spec.Error) bool { return e.Text != text })
	if len(own) == 0 {
		return nil
	}
	return own
}

// leaveOutCopies leaves out what is the same recording as another: its calls would be counted twice.
// The larger file is shown if one is only a part of the recording.
func (f *fleet) leaveOutCopies() {
	largest := slices.Clone(f.all)
	sort.SliceStable(largest, func(i, j int) bool { return largest[i].Size > largest[j].Size })
	same := merge.Same(largest)
	kept := map[*merge.Recording]bool{}
	for i, r := range largest {
		if kept[r] = same[i] == nil; !kept[r] {
			f.ui.Warn("%s is the same recording as %s: its calls are shown once", r.Name, same[i].Name)
		}
	}
	f.all = slices.DeleteFunc(f.all, func(r *merge.Recording) bool { return !kept[r] })
}

// correct sets the offsets that the command line asks for.
func (f *fleet) correct(t *merge.Timeline) error {
	for _, offset := range f.o.Offsets {
		found := false
		for _, byHost := range []bool{false, true} {
			for _, r := range t.Recordings {
				is := r.Name == offset.Name || strings.HasSuffix(r.Name, "/"+offset.Name)
				if byHost {
					is = r.Host == offset.Name
				}
				if is {
					r.Offset, found = offset.By, true
				}
			}
			if found {
				break
			}
		}
		if !found {
			r := t.Recordings[len(t.Recordings)-1]
			return flags.Errorf("name a file, or what HOST shows: --offset "+r.Name+"=-1.5s or --offset "+r.Host+"=-1.5s", "--offset: no recording, and no host of one, is %q", offset.Name)
		}
	}
	return nil
}

// checkTimes refuses to show times that the recordings do not have in common.
func (f *fleet) checkTimes(t *merge.Timeline) error {
	_, unknown := t.ToWall()
	switch {
	case f.o.Show.Time == render.TimeClock && unknown != nil:
		return flags.Errorf("choose --time rel, delta or none, or leave the file out", "%s does not contain the time of day", unknown.Name)
	case f.o.Show.Time == render.TimeBoot && !t.OneClock():
		return flags.Errorf("choose --time rel, delta, clock or none", "--time boot: the recordings are of several boots, or clocks, which have no time in common")
	}
	return setTimelineWindow(t, f.o)
}

// describe prints for each recording where it is on the time line, and what is known of its clock.
func (f *fleet) describe(t *merge.Timeline) {
	for _, r := range t.Recordings {
		f.ui.Warn("%s", placeText(t, r))
		for line := range strings.Lines(render.OriginText(r.Origin)) {
			f.ui.About(r.Name).Detail("%s", strings.TrimSuffix(line, "\n"))
		}
	}
}

// placeText is like "web2.dat is web2, from 1.204113 on; its clock was off by at most 2ms, and
// moved by 3us from start to end".
func placeText(t *merge.Timeline, r *merge.Recording) string {
	began := r.At(r.Start) - t.Start
	text := fmt.Sprintf("%s is %s, from %d.%06d on", r.Name, r.Host, began/1e9, began%1e9/1e3)
	if r.Offset != 0 {
		text += fmt.Sprintf(" with the offset %v", r.Offset)
	}
	c := r.Clock
	switch {
	case r.ToWall == nil:
		return text + ": it does not contain the time of day, so it begins with the first; --offset FILE=DUR moves it"
	case c.With != nil:
		text += "; it has the clock of " + c.With.Name + ", which "
	case c.MaxError != nil && c.Synced:
		text += fmt.Sprintf("; its clock was off by at most %v, and ", time.Duration(*c.MaxError))
	case c.MaxError != nil:
		text += "; its clock was not synchronized, and "
	default:
		text += "; its clock "
	}
	if c.Drift == nil {
		return text + "may have moved: the end is not in the file"
	}
	return text + fmt.Sprintf("moved by %s%s from start to end", sign(*c.Drift), render.AppendDuration(nil, uint64(max(*c.Drift, -*c.Drift))))
}

// sign returns "-" for a negative number.
func sign(n int64) string {
	if n < 0 {
		return "-"
	}
	return ""
}

// show shows the calls, and reports what the recordings lack.
func (f *fleet) show(t *merge.Timeline) (err error) {
	out := output.New(f.o, f.ui)
	if err := out.Open(); err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, out.Close()) }()
	if !output.OnTerminal(f.o) {
		defer f.ui.Watch(func() string {
			return fmt.Sprintf("replaying %d recordings: %s", len(f.all), terminal.Percent(uint64(f.read.Load()), uint64(f.size)))
		})()
	}
	if err := out.ShowTimeline(t); err != nil {
		return err
	}
	out.TimelineLosses(t)
	if n, some := t.Refused(); n > 0 && !some {
		f.ui.Warn("no call is shown: --pid, --comm and --cpu select none of %d", n)
	}
	if f.o.Windowed() && t.WindowEvents() == 0 {
		end := t.End() - t.Start
		f.ui.Warn("no event is between --from and --to: the recordings are from 0.000000 to %d.%06d", end/1e9, end%1e9/1e3)
	}
	return f.damage()
}

// damage reports what is damaged.
func (f *fleet) damage() error {
	for _, r := range f.all {
		err := cmp.Or(r.Err, r.Damage())
		if err == nil {
			continue
		}
		ui := f.ui.About(r.Name)
		var pages *replay.DamagedPages
		if errors.As(err, &pages) {
			for _, p := range pages.Parts {
				ui.Warn("%v", p)
			}
		}
		ui.Warn("%v; what could be read is shown", err)
		f.failed = true
	}
	if f.failed {
		return terminal.ExitStatus(1)
	}
	return nil
}
