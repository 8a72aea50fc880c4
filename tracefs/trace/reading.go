package trace

import (
	"encoding/binary"
	"iter"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/amend"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/tasks"
	"github.com/tsnoop/tsnoop/tracefs/text"
)

// A Reading holds what is needed to understand the events of some plans. It is what a
// Trace, a File and a Text have in common.
type Reading struct {
	// Lost, if not nil, is called with an event before which others were lost on its
	// CPU. It is called before the calls that the event ends are yielded. Idle, if not
	// nil, is called when there are no events at the moment. Both are called by the
	// goroutine that ranges over the calls.
	Lost func(*tracefs.Event)
	Idle func()
	// ClockSet, if not nil, is called with what to report when the events come to a time
	// at which the host's clock was set.
	ClockSet func(tracefs.Interference)
	// Further, if not nil, is called by the same goroutine when Plans has grown.
	Further func()

	warner tracefs.Warner
	plans  []*plan.Plan
	order  binary.ByteOrder
	start  uint64 // ns on the trace clock
	wall   wallClock

	cpus  []int             // calls that begin on these CPUs are shown; nil for all
	begin bool              // also yield calls when they begin
	spans *spans            // when the trace was whole; nil if that is not known
	gap   bool              // events were lost
	own   *tasks.OwnThreads // threads whose events are shown; nil for all

	choice  Choice       // of the calls of a recording
	strange map[int]bool // threads of unknown processes whose calls are not shown

	processes *tasks.Processes // nil if nobody asks for the processes of threads
	origin    *tracefs.Origin

	symbols *symbols.Table
	named   symbolFunc             // replaces symbols, if not nil
	mapped  func(addr uint64) bool // which addresses can be read; nil if not known
	ofText  bool                   // the records are made from copied text
	formats []*tracefs.Format      // each once
	known   map[int]bool           // IDs of formats
	stacks  *tracefs.Format        // format of the records with stacks; nil if none are wanted
	format  map[*plan.Probe]*tracefs.Format
	decoder map[*plan.Probe]*value.Decoder
	joints  map[*value.Extent]*value.Joint // for objects that are recorded in several parts
	pairers []*calls.Pairer

	amend    *amend.Stage
	losing   lossTeller
	observer observer

	decoders []*value.Decoder // scratch space of matches: the decoders of a plan's probes, and the records of a call
	records  [][]byte
}

// A symbolFunc names what is at an address.
type symbolFunc func(addr uint64) (name, module string, off uint64, ok bool)

// Plans returns the plans. Call.Plan is an index into it.
func (r *Reading) Plans() []*plan.Plan { return r.plans }

// Decoder returns the decoder for the events of a probe: it reads the values of the
// probe's fields from their data.
func (r *Reading) Decoder(p *plan.Probe) *value.Decoder { return r.decoder[p] }

// Values yields the fields of a call and their values: first those of its entry, then
// those of its return. Fields that only a condition needs are left out. The values are
// valid as long as the call.
func (r *Reading) Values(c *calls.Call) iter.Seq2[*value.Field, value.Value] {
	plan := r.plans[c.Plan]
	return func(yield func(*value.Field, value.Value) bool) {
		for _, p := range plan.Probes {
			if e := c.Event(p.Side == dynevent.Return, p.Part); e != nil && !r.values(c, p, e, yield) {
				return
			}
		}
	}
}

func (r *Reading) values(c *calls.Call, p *plan.Probe, e *tracefs.Event, yield func(*value.Field, value.Value) bool) bool {
	d := r.decoder[p]
	for i := range p.Fields {
		f := &p.Fields[i]
		if f.Hidden {
			continue
		}
		v := value.Value{}
		if f.Dump != nil && len(f.Dump.Rest) > 0 {
			v = r.object(c, p, i)
		} else {
			v = d.Value(i, e.Data)
		}
		if !yield(f, v) {
			return false
		}
	}
	return true
}

// object returns the value of a field that begins in the first part of a side and goes
// on in the others.
func (r *Reading) object(c *calls.Call, p *plan.Probe, field int) value.Value {
	parts := p.Plan.Of(p.Side)
	j := r.joints[p.Fields[field].Dump]
	if j == nil {
		decoders := make([]*value.Decoder, len(parts))
		for i, part := range parts {
			decoders[i] = r.decoder[part]
		}
		if r.joints == nil {
			r.joints = map[*value.Extent]*value.Joint{}
		}
		j = value.NewJoint(field, decoders)
		r.joints[p.Fields[field].Dump] = j
	}
	records := make([][]byte, len(parts))
	for i, part := range parts {
		if e := c.Event(part.Side == dynevent.Return, part.Part); e != nil {
			records[i] = e.Data
		}
	}
	return j.Value(records)
}

// Order returns the byte order of the events' data.
func (r *Reading) Order() binary.ByteOrder { return r.order }

// Start returns when the trace began, in ns on the clock of the event times.
func (r *Reading) Start() uint64 { return r.start }

// WallClock returns what to add to a time of an event to get the time since 1970, in ns, or
// 0 if that is not known.
func (r *Reading) WallClock(now uint64) int64 { return r.wall.at(now) }

// Symbol names what is at a kernel address: its name, its module ("" for the kernel
// itself) and the offset of addr in it, in bytes. The first call may take some 100 ms,
// since the symbols are read then or in the background.
func (r *Reading) Symbol(addr uint64) (name, module string, off uint64, ok bool) {
	if r.named != nil {
		return r.named(addr)
	}
	return r.symbols.Name(addr)
}

// symbolsUnreadable reports that Symbol knows no names.
func (r *Reading) symbolsUnreadable(err error) {
	r.warner.Warnf("functions are shown as numbers: %v", err)
}

// IsName reports whether an address in a record is made up, because text has only the
// name of what is at the address.
func (r *Reading) IsName(addr uint64) bool {
	if r.named == nil || !r.ofText {
		return false
	}
	_, _, _, ok := r.named(addr)
	return ok
}

// IsCode reports whether the symbol at an address is a function.
func (r *Reading) IsCode(addr uint64) bool {
	if r.named != nil {
		return false
	}
	return r.symbols.IsCode(addr)
}

// learn notes how the records of a probe are laid out.
func (r *Reading) learn(p *plan.Probe, f *tracefs.Format) error {
	l, err := r.understand(p, f)
	if err == nil {
		r.take(l)
	}
	return err
}

// understand returns how the records of a probe are laid out.
func (r *Reading) understand(p *plan.Probe, f *tracefs.Format) (amend.Layout, error) {
	doubts := 0
	if r.ofText {
		f, doubts = text.WithDoubts(f)
	}
	slots, err := p.Slots(func(name string) (value.Slot, bool) {
		field := f.Field(name)
		if field == nil {
			return value.Slot{}, false
		}
		return value.Slot{Offset: field.Offset, Size: field.Size, DataLoc: field.DataLoc}, true
	})
	if err != nil {
		return amend.Layout{}, err
	}
	d := p.Decoder(slots, r.order, r.mapped)
	if r.ofText {
		d.Doubts(doubts, whys)
	}
	return amend.Layout{Probe: p, Format: f, Decoder: d}, nil
}

// take stores what is known of the records of a probe.
func (r *Reading) take(l amend.Layout) {
	if r.decoder == nil {
		r.known = map[int]bool{}
		r.format = map[*plan.Probe]*tracefs.Format{}
		r.decoder = map[*plan.Probe]*value.Decoder{}
	}
	if !r.known[l.Format.ID] {
		r.known[l.Format.ID] = true
		r.formats = append(r.formats, l.Format)
	}
	r.format[l.Probe], r.decoder[l.Probe] = l.Format, l.Decoder
	r.amend.Learn(l)
}

// whys maps the doubts that text leaves to those of a value.
var whys = []value.Why{text.MaybeNext: value.MaybeNext, text.MaybeLonger: value.MaybeLonger}

// learnNewTasks prepares the reading for events of format f.
func (r *Reading) learnNewTasks(f *tracefs.Format) error {
	n, err := tasks.NewTasksOf(f, r.order)
	if err != nil {
		return err
	}
	if r.known[f.ID] {
		return tasks.ErrNoNewTasks
	}
	r.own.Learn(n)
	r.processes.Learn(n)
	r.formats = append(r.formats, f)
	return nil
}

// Process returns the process that a thread belongs to at this point of the trace, and
// whether it is known. That needs Options.Processes, of a recording when it was made.
func (r *Reading) Process(tid int) (pid int, ok bool) { return r.processes.Of(tid) }

// learnStacks notes the format in which stacks are recorded.
func (r *Reading) learnStacks(f *tracefs.Format) {
	r.stacks = f
	r.formats = append(r.formats, f)
}

// withStacks adds stacks to the events, if they are wanted.
func (r *Reading) withStacks(events iter.Seq2[*tracefs.Event, error]) iter.Seq2[*tracefs.Event, error] {
	if r.stacks == nil {
		return events
	}
	return read.JoinStacks(events, r.stacks, r.order)
}

// damaged warns that a buffer cannot be parsed.
func (r *Reading) damaged(cpu int, err error) {
	r.warner.Warnf("the ring buffer of CPU %d cannot be understood: %v", cpu, err)
}
