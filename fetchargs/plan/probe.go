// Package plan holds what is made of a spec for one kernel: the probes to define, their
// filters, how their records become values, and which conditions are left to user space. A
// plan does not change once it is made.
package plan

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/cond"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Plan is one spec resolved for one kernel: the probes that it needs and the
// conditions that are left to user space.
type Plan struct {
	Spec   *spec.Spec // for a glob, the spec for this function
	Glob   *find.Glob // the glob that matched the function, nil if the user named it
	Func   *btf.Func
	Probes []*Probe // entry probes, then return probes, each by part; at least one

	// Renames is a glob of task names. If it is set, the plan is tsnoop's own, and
	// its events report tasks that change their name. See fetchargs.Renames.
	Renames string
	// NamesKnown is set if a trace knows the names of tasks without fetching them.
	NamesKnown bool
	// NoCallers is set if who calls the function is not wanted.
	NoCallers bool

	Notes   []string // what the user should know before believing the output
	Details []string // choices that were made, for --explain

	// PrefaultCall is the system call whose own event pages in the memory that the plan
	// reads, "" if there is none. See tracefs.Session.Prefault.
	PrefaultCall string

	// Partial is set if some of the conditions are in no filter, so that the probes
	// alone record too much.
	Partial bool

	// Addresses are the symbols whose addresses are in the probes as numbers. Most
	// kernels place them elsewhere at the next boot.
	Addresses []string

	// Starts is set if the plan is there only to start the clock of that name. Its calls are
	// not shown.
	Starts   string
	Clocks   []Clock
	Measures []measure.Measured // values to sum up its calls by, in the order of Target.Measures

	Arch   *abi.Arch
	Macros *constants.Table // of the kernel; nil if its architecture has none
	Check  *cond.Test       // what user space decides, nil if the kernel's filters decide all
	Asked  *cond.Test       // all conditions, nil if there are none or, in older recordings, if they are not known
}

// A Probe is one dynamic event: its definition, its filter, and how its records are
// decoded into the values that the user asked for.
type Probe struct {
	Plan *Plan
	Kind dynevent.Kind
	Side dynevent.Side
	Part int // number among the probes of its side, from 0; each part has some of the values and the same filter
	// Symbols is where the probe is put, in the kernel's syntax: "ip_rcv",
	// "ext4:ext4_sync". There are several only if several functions have the name:
	// "_stext+4711", "_stext+94322".
	Symbols []string
	Event   string         // event name, without group; see also KernelEvent
	Share   *Share         // set if the probe has its records from an event of many functions
	Args    []dynevent.Arg // fetchargs in the order of the definition, strings last
	Fields  []value.Field
	Filter  string // what the conditions say in an event filter, "" for none; see also KernelFilter
	// OnlyComm is set if the filter checks only the name of the task, which may
	// change while a function runs (exec).
	OnlyComm bool

	// CPUs, if set, are those that the probe has a definition for each. Every hit makes a
	// record by each of them, and KernelFilter keeps the one that was made for the CPU
	// that it is on.
	CPUs []dynevent.CPU

	// Spare, if set, is a second probe at the same place, for events that are too large;
	// SpareOf is set in that one, with Heads, and with Args that are named as those here.
	Spare, SpareOf *Probe
	Heads          []Head

	// MaxActive is how many calls a return probe can track at a time, up to
	// MostActive; 0 leaves the number to the kernel.
	MaxActive int

	// Indexes into Args of values that tsnoop needs itself, -1 if they are not
	// fetched. The Caller of a return is never one of Args, because the kernel
	// records it by itself: it is -1, or len(Args) once [Probe.Slots] has found it.
	Comm, Caller, Stack int
}

// Follows reports whether the probe reads memory through a pointer, or a variable.
func (p *Probe) Follows() bool {
	return slices.ContainsFunc(p.Args, func(a dynevent.Arg) bool { return a.Follows() })
}

// Entry returns the first probe of the entry, nil if the spec does not need that side.
func (p *Plan) Entry() *Probe { return first(p.Of(dynevent.Entry)) }

// Return returns the first probe of the return, nil if the spec does not need that side.
func (p *Plan) Return() *Probe { return first(p.Of(dynevent.Return)) }

func first(probes []*Probe) *Probe {
	if len(probes) == 0 {
		return nil
	}
	return probes[0]
}

// Of returns the probes of a side, by part.
func (p *Plan) Of(side dynevent.Side) []*Probe {
	entries := slices.IndexFunc(p.Probes, func(p *Probe) bool { return p.Side == dynevent.Return })
	switch {
	case entries < 0 && side == dynevent.Return:
		return nil
	case entries < 0:
		return p.Probes
	case side == dynevent.Return:
		return p.Probes[entries:]
	}
	return p.Probes[:entries]
}

// AtFunction reports whether the plan's probes are put at a function.
func (p *Plan) AtFunction() bool { return p.Probes[0].Kind.AtFunction() }

// Counted reports whether the kernel counts the hits of the plan's probes.
func (p *Plan) Counted() bool {
	return !slices.ContainsFunc(p.Probes, func(p *Probe) bool { return !p.Kind.Counted() })
}

// Paired reports whether the plan's calls have both an entry and a return.
func (p *Plan) Paired() bool { return p.Probes[0].Side != p.Probes[len(p.Probes)-1].Side }

// Chooses reports whether the kernel's filter selects by the values of the events,
// and not only by the name of the task.
func (p *Probe) Chooses() bool { return p.Filter != "" && !p.OnlyComm }

func (p *Probe) arch() *abi.Arch { return p.Plan.Arch }

// GoesOn reports whether a value continues in the Arg after its own.
func (p *Probe) GoesOn(f *value.Field) bool {
	return f.Split > 0 || f.Encoding == value.Array && f.Skip+f.Size*f.Count > p.Args[f.Arg].Size()
}

// MaxProbes is the most probes of one plan.
const MaxProbes = 64
