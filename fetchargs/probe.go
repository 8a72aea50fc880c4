package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/value"
)

// A Plan is one spec made concrete for one kernel: the probes that carry it
// out and what user space has still to decide. Entry or Return is nil where
// the spec does not ask for that side; never both.
type Plan struct {
	Spec   *spec.Spec // of a glob, that for this function
	Glob   *Glob      // that the function matched, nil if it was named
	Func   *btf.Func
	Entry  *Probe // "p:" event, or nil
	Return *Probe // "r:" event, or nil

	// Renames is a glob of task names. If it is set, the plan is tsnoop's own: its
	// events tell of tasks that get another name. See [Renames].
	Renames string

	Notes []string // what the user should know before believing the output

	// Partial: some of the conditions are in no filter, so that the probes
	// alone show too much.
	Partial bool

	// Addresses are the symbols whose addresses are in the probes as numbers:
	// most kernels lie elsewhere after the next boot.
	Addresses []string

	Arch  *abi.Arch
	check *test // what user space decides, nil if the kernel's filters do all
}

// A Probe is one kprobe event: its definition, its filter, and how the bytes
// of its record become the values the user asked for.
type Probe struct {
	Plan   *Plan
	Return bool // "r:", fired when the function returns
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

// Paired tells whether the plan's calls have both an entry and a return.
func (p *Plan) Paired() bool { return p.Entry != nil && p.Return != nil }

// Chooses tells whether the kernel's filter chooses by the values of the events.
func (p *Probe) Chooses() bool { return p.Filter != "" && !p.OnlyComm }

// MostActive is KRETPROBE_MAXACTIVE_MAX of kernel/trace/trace_kprobe.c.
const MostActive = 4096

func (p *Probe) arch() *abi.Arch { return p.Plan.Arch }
