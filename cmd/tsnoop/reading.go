package main

import (
	"encoding/binary"
	"iter"
	"slices"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/read"
)

// A reading is all that is needed to understand the events of some plans, live
// or recorded.
type reading struct {
	ui    *ui
	plans []*fetchargs.Plan
	order binary.ByteOrder
	start uint64 // ns on the trace clock
	wall  int64  // ns to add to the trace clock for the time since 1970

	cpus  []int // whose calls are shown, by where they begin; nil for all
	apart bool  // entries and returns cannot be paired: see checkRecorded
	kin   *kin  // whose events are shown; nil for all there are

	symbols func() *proc.Symbols   // may return nil
	mapped  func(addr uint64) bool // which addresses can be read, nil if not known
	formats []*tracefs.Format      // each once
	known   map[int]bool           // their IDs
	stacks  *tracefs.Format        // of the records with stacks, nil if none are wanted
	format  map[*fetchargs.Probe]*tracefs.Format
	decoder map[*fetchargs.Probe]*value.Decoder
}

// learn takes in how the records of a probe are laid out.
func (r *reading) learn(p *fetchargs.Probe, f *tracefs.Format) error {
	slots, err := p.Slots(func(name string) (value.Slot, bool) {
		field := f.Field(name)
		if field == nil {
			return value.Slot{}, false
		}
		return value.Slot{Offset: field.Offset, Size: field.Size, DataLoc: field.DataLoc}, true
	})
	if err != nil {
		return err
	}
	if r.decoder == nil {
		r.known = map[int]bool{}
		r.format = map[*fetchargs.Probe]*tracefs.Format{}
		r.decoder = map[*fetchargs.Probe]*value.Decoder{}
	}
	if !r.known[f.ID] {
		r.known[f.ID] = true
		r.formats = append(r.formats, f)
	}
	r.format[p] = f
	r.decoder[p] = p.Decoder(slots, r.order, r.mapped)
	return nil
}

// learnStacks takes in how stacks are recorded.
func (r *reading) learnStacks(f *tracefs.Format) {
	r.stacks = f
	r.formats = append(r.formats, f)
}

// withStacks gives the events their stacks, if they are wanted.
func (r *reading) withStacks(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*tracefs.Event, error] {
	if r.stacks == nil {
		return events
	}
	return read.JoinStacks(events, r.stacks, r.order)
}

// symbol names what is at a kernel address.
func (r *reading) symbol(addr uint64) (name, module string, off uint64, ok bool) {
	if s := r.symbols(); s != nil {
		return s.Name(addr)
	}
	return "", "", 0, false
}

func (r *reading) address(symbol string) (uint64, bool) {
	if s := r.symbols(); s != nil {
		return s.Addr(symbol)
	}
	return 0, false
}

// sources are the plans with what decodes their events.
func (r *reading) sources() []render.Source {
	var sources []render.Source
	for _, p := range r.plans {
		sources = append(sources, render.Source{Plan: p, Entry: r.decoder[p.Entry], Return: r.decoder[p.Return]})
	}
	return sources
}

// newSink makes what shows the calls, and begins the output.
func (r *reading) newSink(o *options, out *output) render.Sink {
	return out.begin(o.newSink(r.sources(), render.Options{
		Header: out.terminal && o.summary != "only", Color: out.color, Verbose: o.verbose,
		Time: o.time, Start: r.start, Clock: r.wall, Symbol: r.symbol, Order: r.order,
	}))
}

// matches decides the conditions that the kernel could not.
func (r *reading) matches(c *calls.Call) bool {
	plan := r.plans[c.Plan]
	if len(r.cpus) > 0 && !r.isHere(c, plan) {
		return false
	}
	if !plan.Decides() {
		return true
	}
	var entry, exit []byte
	if c.Entry != nil {
		entry = c.Entry.Data
	}
	if c.Return != nil {
		exit = c.Return.Data
	}
	return plan.Match(r.decoder[plan.Entry], r.decoder[plan.Return], entry, exit)
}

// leaves takes its return off a call that ends on a CPU that is not asked for.
func (r *reading) leaves(c *calls.Call) {
	if len(r.cpus) > 0 && c.Return != nil && !slices.Contains(r.cpus, c.Return.CPU) {
		c.Return, c.Duration, c.Unfinished = nil, 0, true
	}
}

// isHere tells whether a call has begun on one of the CPUs that are asked for.
func (r *reading) isHere(c *calls.Call, plan *fetchargs.Plan) bool {
	begin := c.Entry
	if plan.Entry == nil {
		begin = c.Return
	}
	return begin != nil && slices.Contains(r.cpus, begin.CPU)
}

// damaged says that a buffer makes no sense.
func (r *reading) damaged(cpu int, err error) {
	r.ui.warn("the ring buffer of CPU %d cannot be understood: %v", cpu, err)
}
