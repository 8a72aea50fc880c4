package main

import (
	"bytes"
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
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A replay is a trace.dat file with all that is needed to understand its events.
type replay struct {
	reading
	name   string
	file   *tracedat.File
	own    bool // tsnoop has recorded it
	broken error
}

// runReplay shows a recording, as a trace shows what is live.
func runReplay(o *options, ui *ui) (err error) {
	if len(o.args) == 0 {
		return usagef("tsnoop replay trace.dat", "which file?")
	}
	f, err := os.Open(o.args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return showReplay(f, info.Size(), f.Name(), o, ui)
}

// showReplay shows what is in a file of that many bytes.
func showReplay(f io.ReaderAt, size int64, name string, o *options, ui *ui) (err error) {
	sums := newSumming(o)
	r, err := openReplay(f, size, name, ui)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := r.prepare(o); err != nil {
		return err
	}
	out, err := newOutput(o, ui)
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, out.Close()) }()
	lost := newLosses(o, ui, out, r.newSink(o, out))
	go r.symbols() // ready when the first line needs it
	pairers, err := r.pairers(o)
	if err != nil {
		return err
	}
	sink, idle := r.sink(o, out, lost.sink, sums)
	end := sums.begin(&r.reading, out, lost.sink, idle)
	err = r.show(r.events(), pairers, sink, lost)
	idle()
	if end(); err != nil {
		return err
	}
	lost.recorded(r.stats())
	if r.broken = firstError(r.file.Damage, r.broken); r.broken != nil {
		return fmt.Errorf("%s: %w; what could be read is shown", r.name, r.broken)
	}
	return nil
}

func openReplay(f io.ReaderAt, size int64, name string, ui *ui) (*replay, error) {
	file, err := tracedat.Open(f, size)
	if err != nil {
		return nil, err
	}
	r := &replay{reading: reading{ui: ui, order: binary.LittleEndian}, name: name, file: file, own: file.Tsnoop != nil}
	if file.BigEndian {
		r.order = binary.BigEndian
	}
	r.symbols = sync.OnceValue(r.loadSymbols)
	return r, nil
}

// prepare makes plans for the events: those that were recorded with them, or
// one for each event of another tool. The specs choose among them.
func (r *replay) prepare(o *options) error {
	var specs []*spec.Spec
	for _, text := range o.args[1:] {
		spec, err := spec.Parse(text)
		if err != nil {
			return err
		}
		specs = append(specs, spec)
	}
	load := r.foreignPlans
	if r.own {
		load = r.ownPlans
	} else if o.time == render.TimeClock {
		return usagef("", "%s does not say what time of day it was; --time is rel, delta, boot or none", r.name)
	}
	if !r.file.Nanoseconds() {
		r.ui.warn("%s: the clock %s does not count nanoseconds: times are shown as if it did", r.name, r.file.Clock)
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
		if r.plans, from, err = fetchargs.Select(specs, plans, o.pairs()); err != nil {
			return err
		}
		r.ui.leftOut(r.plans)
	}
	if err := o.checkPlans(r.plans); err != nil {
		return err
	}
	for i, p := range r.plans {
		recorded := plans[from[i]]
		for _, side := range [][2]*fetchargs.Probe{{p.Entry, recorded.Entry}, {p.Return, recorded.Return}} {
			if side[0] == nil {
				continue
			}
			if err := r.learn(side[0], formats[side[1]]); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
	}
	if o.kstack {
		return r.findStacks()
	}
	return nil
}

// findStacks looks for how stacks were recorded.
func (r *replay) findStacks() error {
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
	return fmt.Errorf("%s has no stacks: record them with --kstack", r.name)
}

// loadSymbols parses the /proc/kallsyms that was recorded.
func (r *replay) loadSymbols() *proc.Symbols {
	text, err := r.file.Kallsyms()
	var s *proc.Symbols
	if err == nil && len(text) > 0 {
		s, err = proc.ParseSymbols(text)
	}
	if err != nil {
		r.ui.warn("functions are shown as numbers: %v", err)
	}
	return s
}

// events yields the events of all buffers in the order of their times.
func (r *replay) events() iter.Seq2[*tracefs.Event, error] {
	var streams []read.Source
	for i := range r.file.Buffers {
		for j := range r.file.Buffers[i].CPUs {
			cpu := &r.file.Buffers[i].CPUs[j]
			streams = append(streams, read.Source{CPU: cpu.ID, Next: cpu.Pages().Next})
		}
	}
	o := read.Options{Layout: r.layout(), Formats: r.formats, Damaged: r.damage}
	events := r.withStacks(read.Merge(o, streams))
	if r.own {
		return r.kin.own(events)
	}
	return r.translated(events)
}

func (r *replay) layout() ringbuf.Layout {
	return ringbuf.Layout{BigEndian: r.file.BigEndian, LongSize: r.file.LongSize}
}

// translated adds what only the file knows: the names of tasks, and how times
// are to be shown.
func (r *replay) translated(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*tracefs.Event, error] {
	comms := make(map[int][]byte, len(r.file.Cmdlines))
	for tid, comm := range r.file.Cmdlines {
		comms[tid] = []byte(comm)
	}
	comms[0] = []byte("<idle>")
	return func(yield func(*tracefs.Event, error) bool) {
		last, comm := -1, []byte(nil)
		for e, err := range events {
			if e.TID != last {
				last, comm = e.TID, comms[e.TID]
			}
			e.Comm, e.Time = comm, r.file.Time(e.Time)
			if !yield(e, err) {
				return
			}
		}
	}
}

// damage keeps the first place where the file is broken. A page that makes no
// sense is told of at once.
func (r *replay) damage(cpu int, err error) {
	var broken *tracedat.Error
	if errors.As(err, &broken) {
		r.broken = firstError(r.broken, err)
		return
	}
	r.damaged(cpu, err)
}

// first is the time of the first event, 0 if there is none.
func (r *replay) first() uint64 {
	first := ^uint64(0)
	for i := range r.file.Buffers {
		for j := range r.file.Buffers[i].CPUs {
			var page ringbuf.Page
			pages := r.file.Buffers[i].CPUs[j].Pages()
			for b, err := pages.Next(); err == nil; b, err = pages.Next() {
				if page.Reset(r.layout(), b) == nil && page.Next() {
					first = min(first, page.Stamp)
					break
				}
			}
		}
	}
	if first == ^uint64(0) {
		return 0
	}
	return r.file.Time(first)
}

// stats are the kernel's counts at the end of the recording.
func (r *replay) stats() []tracefs.CPUStats {
	var all []tracefs.CPUStats
	for _, text := range r.file.CPUStats {
		var cpu int
		fmt.Sscanf(text, "CPU: %d", &cpu)
		st, err := tracefs.ParseCPUStats(io.NopCloser(bytes.NewReader([]byte(text))))
		if err != nil {
			r.ui.detail("statistics of CPU %d: %v", cpu, err)
			continue
		}
		st.CPU = cpu
		all = append(all, st)
	}
	return all
}
