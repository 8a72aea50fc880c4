// Package replay reads a recording, or what somebody has copied out of trace or
// trace_pipe, as the stream of calls that a trace is. A file says what it was recorded
// with; one of another tool has the formats of its events only. It may come from anywhere,
// so its size bounds what is done for it, and what is damaged is skipped and reported.
package replay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/query"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/losses"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A File is an open trace.dat file and everything needed to understand its events.
type File struct {
	stream.Stream
	name    string
	file    *tracedat.File
	chooser *chooser
	broken  error
	damages DamagedPages
	size    int64
	some    bool // the threads of some processes were recorded only
	stacks  bool // are asked for
	shared  bool // it is one of several

	needsPast bool // what is shown can depend on events before the window
}

// Open reads a trace.dat file of size bytes. A recording of tsnoop has the plans that
// it was made with; a recording of another tool gets one plan for each kind of event.
// Specs that are wrong, or that ask for what was not recorded, are returned as a
// spec.Errors. Other errors may wrap stream.ErrHalves or ErrStacks.
func Open(f io.ReaderAt, size int64, o Options) (*File, error) {
	file, names, err := openFile(f, size, o.Shared)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	r := &File{Stream: stream.Stream{Warner: o.Warn, Order: binary.LittleEndian}, name: o.Name, file: file, size: size, shared: o.Shared != nil}
	if file.BigEndian {
		r.Order = binary.BigEndian
	}
	r.Amend = amend.New(r.Order, amend.Times{})
	r.NameBy(names)
	if err := r.prepare(o); err != nil {
		return nil, err
	}
	if r.HasNameless() {
		r.Names = tasks.RecordedNames(file.Cmdlines)
	}
	if err := r.Pair(o.Begin, o.Chain); err != nil {
		return nil, err
	}
	if r.shared {
		r.forget()
	} else if o.Symbols {
		go names.Prepare()
	}
	return r, nil
}

// prepare makes the plans for the events of the file. The specs of o select among them.
func (r *File) prepare(o Options) error {
	if !r.file.Nanoseconds() {
		r.Warner.Warnf("%s: the clock %s does not count nanoseconds: times are shown as if it did", r.name, r.file.Clock)
	}
	load := r.ownPlans
	if !r.IsOwn() {
		load = func() ([]*plan.Plan, formatOf, error) { return r.otherPlans(o.Specs) }
	}
	plans, formats, err := load()
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	specs, err := query.Parse(o.Specs, plans)
	if err != nil {
		return err
	}
	r.Plans = plans
	r.Origin = r.originOf(r.Origin)
	from := make([]int, len(plans))
	for i := range from {
		from[i] = i
	}
	if len(specs) > 0 {
		if r.Plans, from, err = query.Select(specs, plans, o.Pair, o.Measures); err != nil {
			return err
		}
	} else if r.Plans, err = query.WithMeasures(plans, o.Measures); err != nil {
		return err
	}
	if o.Chain {
		r.Plans, from = plan.Steps(r.Plans, from)
	}
	for i, p := range r.Plans {
		recorded := plans[from[i]]
		r.Spans.Share(p, recorded)
		for _, probe := range p.Probes {
			if err := r.Learn(probe, formats[recorded.Of(probe.Side)[probe.Part]]); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			if probe.Spare == nil {
				continue
			}
			if err := r.Learn(probe.Spare, formats[recorded.Of(probe.Side)[probe.Part].Spare]); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			r.Amend.LearnSpare(probe)
		}
	}
	r.Amend.See(r.Warner, !r.some && r.AllCalls(), nil)
	r.needsPast = r.NeedsPast() || r.Processes != nil && (o.Process || len(o.Pids) > 0)
	r.chooser = choose(&r.Stream, o.Choice)
	if r.stacks = o.Stacks; o.Stacks || o.AnyStack {
		if err := r.findStacks(); o.Stacks {
			return err
		}
	}
	return nil
}

// IsOwn reports whether tsnoop made the recording. Other tools do not record the time
// of day.
func (r *File) IsOwn() bool { return r.file.Tsnoop != nil }

// Calls yields the calls as they end, and with Options.Begin also as they begin. It
// stops at the first error. A call and its events are valid only until the next one.
// Calls can be ranged over once. Damaged parts of the file are skipped: see Damage.
func (r *File) Calls(ctx context.Context) iter.Seq2[*calls.Call, error] {
	return func(yield func(*calls.Call, error) bool) {
		all := r.Stream.Calls(r.Events(), stream.Observer{})
		if ctx.Done() == nil { // nothing will end it
			all(yield)
			return
		}
		for c, err := range all {
			if ctx.Err() != nil || !yield(c, err) {
				return
			}
		}
	}
}

// Damage returns the first place where the file is damaged, as far as it has been read,
// or nil. It may be a *DamagedPages.
func (r *File) Damage() error {
	if err := cmp.Or(r.file.Damage, r.broken); err != nil || len(r.damages.Parts) == 0 {
		return err
	}
	return &r.damages
}

// ErrStacks says that stacks were asked for and not recorded.
var ErrStacks = errors.New("no stacks were recorded")

// findStacks finds the format in which stacks were recorded.
func (r *File) findStacks() error {
	for _, e := range r.file.Events {
		if e.System != "ftrace" {
			continue
		}
		f, err := tracefs.ParseFormat(strings.NewReader(e.Text))
		if err == nil && f.Name == "kernel_stack" {
			r.LearnStacks(f)
			return nil
		}
	}
	return fmt.Errorf("%s: %w", r.name, ErrStacks)
}

// Events yields the events of all buffers in the order of their times.
func (r *File) Events() iter.Seq2[*tracefs.Event, error] {
	var streams []read.Source
	for i := range r.file.Buffers {
		for j := range r.file.Buffers[i].CPUs {
			cpu := &r.file.Buffers[i].CPUs[j]
			if cpu.Size == 0 {
				continue
			}
			streams = append(streams, read.Source{CPU: cpu.ID, Next: intact(r.pages(cpu))})
		}
	}
	o := read.Options{Layout: r.layout(), Formats: r.Formats, Damaged: r.damage}
	events := r.Follow(r.within(read.Merge(o, streams)))
	if r.IsOwn() {
		return events
	}
	return r.translated(events)
}

func (r *File) layout() ringbuf.Layout {
	return ringbuf.Layout{BigEndian: r.file.BigEndian, LongSize: r.file.LongSize}
}

var errUncounted = errors.New("the recorder did not come to its end, or could not read the kernel's counts")

// Losses returns the kernel's counts at the end of the recording, or what was lost in the
// window.
func (r *File) Losses() *losses.Losses {
	r.chooser.warnStrange()
	if !r.shared {
		r.chooser.warnNone()
	}
	if r.stacks && r.chooser.some && !r.chooser.stacks {
		r.Warner.Warnf("%s has no stacks: record them with --kstack", r.name)
	}
	if r.Window != nil {
		return r.lossesIn()
	}
	l := losses.Losses{Recorded: true, Kept: r.kept(), Start: r.Start, Damaged: r.damages.Events, SwitchedOff: r.Spans.SwitchOffs(r.Plans, r.Plans)}
	for _, text := range r.file.CPUStats {
		var cpu int
		fmt.Sscanf(text, "CPU: %d", &cpu)
		st, err := tracefs.ParseCPUStats(io.NopCloser(bytes.NewReader([]byte(text))))
		if err != nil {
			r.Warner.Detailf("statistics of CPU %d: %v", cpu, err)
			continue
		}
		st.CPU = cpu
		l.CPUs = append(l.CPUs, st)
	}
	if r.IsOwn() && len(r.file.CPUStats) == 0 {
		l.Err = errUncounted
	}
	return &l
}

// kept returns what the file has of losses, of the functions that are shown.
func (r *File) kept() losses.Kept {
	shown := map[string]bool{}
	for _, p := range r.Plans {
		shown[p.Spec.Func.Text] = true
	}
	k := r.Kept
	k.Missed = slices.DeleteFunc(k.Missed, func(m losses.Missed) bool { return !shown[m.Func] })
	k.Unfinished = slices.DeleteFunc(k.Unfinished, func(u losses.Unfinished) bool { return !shown[u.Func] })
	if k.UnsureFuncs = slices.DeleteFunc(k.UnsureFuncs, func(name string) bool { return !shown[name] }); len(k.UnsureFuncs) == 0 {
		k.Unsure = 0
	}
	return k
}
