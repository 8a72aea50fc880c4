package trace

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A File is a trace.dat file with all that is needed to understand its events.
type File struct {
	Reading
	name   string
	file   *tracedat.File
	broken error
}

// OpenOptions says what is wanted of a file, or of text. The zero value wants all calls.
type OpenOptions struct {
	Name  string // of the file, for messages
	Begin bool   // calls are handed out when they begin, too
	Chain bool   // as in Options
	Warn  func(Warning)

	// Not of text, whose plans are given, and which has no stacks.
	Specs    []string             // choose from what was recorded; none for all
	Pair     bool                 // with Specs: every call is seen at its entry and its return
	Measures []*fetchargs.Measure // what calls are added up by
	Stacks   bool                 // the kernel's stacks, which must have been recorded
}

// Open reads what is in a file of that many bytes. Of tsnoop's recordings the plans
// are those that it was made with; of those of other tools there is one for each
// kind of event. Specs that are wrong, or that ask for what was not recorded, come as
// a spec.Errors. Other errors may wrap ErrApart, ErrHalves or ErrStacks.
func Open(f io.ReaderAt, size int64, o OpenOptions) (*File, error) {
	file, err := tracedat.Open(f, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Name, err)
	}
	r := &File{Reading: Reading{warner: o.Warn, order: binary.LittleEndian}, name: o.Name, file: file}
	if file.BigEndian {
		r.order = binary.BigEndian
	}
	r.symbols = sync.OnceValue(r.loadSymbols)
	if err := r.prepare(o); err != nil {
		return nil, err
	}
	if r.pairers, err = r.newPairers(o.Begin || o.Chain, o.Chain); err != nil {
		return nil, err
	}
	return r, nil
}

// prepare makes plans for the events. The specs choose among them.
func (r *File) prepare(o OpenOptions) error {
	var specs []*spec.Spec
	for _, text := range o.Specs {
		spec, err := spec.Parse(text)
		if err != nil {
			return err
		}
		specs = append(specs, spec)
	}
	if !r.file.Nanoseconds() {
		r.warn("%s: the clock %s does not count nanoseconds: times are shown as if it did", r.name, r.file.Clock)
	}
	load := r.foreignPlans
	if r.IsOwn() {
		load = r.ownPlans
	}
	plans, formats, err := load()
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	r.plans = plans
	from := make([]int, len(plans))
	for i := range from {
		from[i] = i
	}
	if len(specs) > 0 {
		if r.plans, from, err = fetchargs.Select(specs, plans, o.Pair, o.Measures); err != nil {
			return err
		}
	} else if r.plans, err = fetchargs.WithMeasures(plans, o.Measures); err != nil {
		return err
	}
	if o.Chain {
		r.plans, from = fetchargs.Steps(r.plans, from)
	}
	for i, p := range r.plans {
		recorded := plans[from[i]]
		for _, probe := range p.Probes {
			if err := r.learn(probe, formats[recorded.Of(probe.Side)[probe.Part]]); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	if o.Stacks {
		return r.findStacks()
	}
	return nil
}

// IsOwn tells whether tsnoop has recorded the file. Others do not say what time of
// day it was.
func (r *File) IsOwn() bool { return r.file.Tsnoop != nil }

// Calls yields the calls as they end, with OpenOptions.Begin also as they begin. An
// error ends it. A call and its events are valid until the next one. It can be ranged
// over once. What is damaged in the file is passed over: see Damage.
func (r *File) Calls(ctx context.Context) iter.Seq2[*calls.Call, error] {
	return func(yield func(*calls.Call, error) bool) {
		go r.symbols() // ready when the first line needs it
		all := r.calls(r.Events(), nil)
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

// Damage is the first place where the file is broken, as far as it has been read; nil
// if it is sound.
func (r *File) Damage() error { return firstError(r.file.Damage, r.broken) }

// findStacks looks for how stacks were recorded.
func (r *File) findStacks() error {
	for _, e := range r.file.Events {
		if e.System != "ftrace" {
			continue
		}
		f, err := tracefs.ParseFormat(strings.NewReader(e.Text))
		if err == nil && f.Name == "kernel_stack" {
			r.learnStacks(f)
			return nil
		}
	}
	return fmt.Errorf("%s: %w", r.name, ErrStacks)
}

// loadSymbols parses the /proc/kallsyms that was recorded.
func (r *File) loadSymbols() symbols {
	text, err := r.file.Kallsyms()
	if err == nil && len(text) == 0 || errors.Is(err, os.ErrClosed) { // all has been shown by then
		return nil
	}
	var s *proc.Symbols
	if err == nil {
		s, err = proc.ParseSymbols(text)
	}
	if err != nil {
		r.warn("functions are shown as numbers: %v", err)
		return nil
	}
	return s
}

// Events yields the events of all buffers in the order of their times.
func (r *File) Events() iter.Seq2[*tracefs.Event, error] {
	var streams []read.Source
	for i := range r.file.Buffers {
		for j := range r.file.Buffers[i].CPUs {
			cpu := &r.file.Buffers[i].CPUs[j]
			streams = append(streams, read.Source{CPU: cpu.ID, Next: cpu.Pages().Next})
		}
	}
	o := read.Options{Layout: r.layout(), Formats: r.formats, Damaged: r.damage}
	events := r.withStacks(read.Merge(o, streams))
	if r.IsOwn() {
		return r.own.only(events)
	}
	return r.translated(events)
}

func (r *File) layout() ringbuf.Layout {
	return ringbuf.Layout{BigEndian: r.file.BigEndian, LongSize: r.file.LongSize}
}

// damage keeps the first place where the file is broken. A page that makes no
// sense is told of at once.
func (r *File) damage(cpu int, err error) {
	var broken *tracedat.Error
	if errors.As(err, &broken) {
		r.broken = firstError(r.broken, err)
		return
	}
	r.damaged(cpu, err)
}

// Losses are the kernel's counts at the end of the recording.
func (r *File) Losses() *Losses {
	l := Losses{recorded: true}
	for _, text := range r.file.CPUStats {
		var cpu int
		fmt.Sscanf(text, "CPU: %d", &cpu)
		st, err := tracefs.ParseCPUStats(io.NopCloser(bytes.NewReader([]byte(text))))
		if err != nil {
			r.detail("statistics of CPU %d: %v", cpu, err)
			continue
		}
		st.CPU = cpu
		l.CPUs = append(l.CPUs, st)
	}
	return &l
}
