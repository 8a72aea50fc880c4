package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
	"github.com/tsnoop/tsnoop/tracefs/dynevent"
)

// A Plan is one spec made concrete for one kernel: the probes that carry it
// out and what user space has still to decide.
type Plan struct {
	Spec   *spec.Spec // of a glob, that for this function
	Glob   *Glob      // that the function matched, nil if it was named
	Func   *btf.Func
	Probes []*Probe // those of the entry, then those of the return, each by part; at least one

	// Renames is a glob of task names. If it is set, the plan is tsnoop's own: its
	// events tell of tasks that get another name. See [Renames].
	Renames string

	Notes   []string // what the user should know before believing the output
	Details []string // what was chosen, for who asks

	// BringsIn is a system call whose own event has what the plan reads brought into
	// memory, "" if none has: see tracefs.Session.BringIn.
	BringsIn string

	// Partial: some of the conditions are in no filter, so that the probes
	// alone show too much.
	Partial bool

	// Addresses are the symbols whose addresses are in the probes as numbers:
	// most kernels lie elsewhere after the next boot.
	Addresses []string

	Measures []Measured // what its calls are added up by, as Target.Measures

	Arch  *abi.Arch
	check *test // what user space decides, nil if the kernel's filters do all
}

// A Side is the beginning of a call, or its end.
type Side uint8

const (
	Entry Side = iota
	Return
)

func (s Side) String() string {
	if s == Return {
		return "return"
	}
	return "entry"
}

// A Probe is one dynamic event: its definition, its filter, and how the bytes
// of its record become the values the user asked for.
type Probe struct {
	Plan *Plan
	Kind dynevent.Kind
	Side Side
	Part int // which of its side's probes it is, from 0; each has some of the values, and the same filter
	// Symbols is where, as the kernel reads it: "ip_rcv", "ext4:ext4_sync". One,
	// but for a name that several functions have: "_stext+4711", "_stext+94322".
	Symbols []string
	Event   string // event name, without group
	Args    []Arg  // fetchargs in the order of the definition, strings last
	Fields  []value.Field
	Filter  string // event filter, "" for none
	// OnlyComm: the filter asks for nothing but the task's name, which may change
	// while a function runs (exec).
	OnlyComm bool

	// MaxActive is how many calls a return probe can follow at a time, up to
	// MostActive; 0 leaves it to the kernel.
	MaxActive int

	// Indexes into Args of what tsnoop fetches for itself, -1 if it does not.
	// A return's Caller is never among them, for the kernel records it by
	// itself: it is -1, or len(Args) once [Probe.Slots] has found it.
	Comm, Caller, Stack int
}

// Follows reports whether the probe reads memory that a pointer points at, or a
// variable.
func (p *Probe) Follows() bool {
	return slices.ContainsFunc(p.Args, func(a Arg) bool { return a.Follows() })
}

// Entry is the first probe of the entry, nil if the spec does not ask for that side.
func (p *Plan) Entry() *Probe { return first(p.Of(Entry)) }

// Return is the first probe of the return, nil if the spec does not ask for that side.
func (p *Plan) Return() *Probe { return first(p.Of(Return)) }

func first(probes []*Probe) *Probe {
	if len(probes) == 0 {
		return nil
	}
	return probes[0]
}

// Of are the probes of a side, by part.
func (p *Plan) Of(side Side) []*Probe {
	entries := slices.IndexFunc(p.Probes, func(p *Probe) bool { return p.Side == Return })
	switch {
	case entries < 0 && side == Return:
		return nil
	case entries < 0:
		return p.Probes
	case side == Return:
		return p.Probes[entries:]
	}
	return p.Probes[:entries]
}

// Paired reports whether the plan's calls have both an entry and a return.
func (p *Plan) Paired() bool { return p.Probes[0].Side != p.Probes[len(p.Probes)-1].Side }

// Chooses reports whether the kernel's filter chooses by the values of the events.
func (p *Probe) Chooses() bool { return p.Filter != "" && !p.OnlyComm }

// MostActive is KRETPROBE_MAXACTIVE_MAX of kernel/trace/trace_kprobe.c.
const MostActive = 4096

func (p *Probe) arch() *abi.Arch { return p.Plan.Arch }
