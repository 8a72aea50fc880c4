package fetchargs

import (
	"slices"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
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
	Fields  []Field
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

// Encoding says how the bytes of an Arg hold a Field.
type Encoding uint8

const (
	Integer  Encoding = iota // Size bytes, in the kernel's byte order
	BitField                 // an unsigned container of Size bytes; the value is its low Bits bits
	String                   // a __data_loc word that points at text
	Array                    // Count elements of Size bytes each
	Nothing                  // nothing was fetched: the value is only the fact of a hit
)

// A Field is one value the user sees or a condition needs.
type Field struct {
	Label     string   // as the user wrote or named it: "skb->len"
	Type      btf.Type // C type of the value; nil when unknown (%REG, $stackN)
	Format    string   // the user's FORMAT, "" to let the C type decide
	Encoding  Encoding
	Arg       int   // index into Probe.Args
	Size      int   // bytes of one element: 1, 2, 4 or 8
	Count     int   // elements of an Array; limit in bytes of a String from a char[N], 0 for none
	Whole     int   `json:",omitempty"` // bytes of the object, of which an Array shows the first; 0 if it shows all
	Skip      int   `json:",omitempty"` // bytes of the Arg before an Array that lies in registers
	Bits      int   // width in bits of a BitField
	Split     int   `json:",omitempty"` // bits of a BitField in Arg, if the others are in the Arg behind it
	Signed    bool  // sign-extend
	BigEndian bool  // in network byte order
	Add       int64 // bytes to add to the fetched pointer (&p->member)
	Guards    []Guard
	Hidden    bool      // fetched for a condition only, not shown
	Again     int       `json:",omitempty"` // 1 and the field of the return probe that has it as it was then; -1 in that one
	Why       string    `json:",omitempty"` // nothing was fetched
	Span      spec.Span // the item in the spec
}

// Space is where a pointer must point to be believed.
type Space uint8

const (
	KernelSpace Space = iota
	UserSpace
	AnySpace    // a char *: the fetch itself tells whether it can be read
	EitherSpace // the kernel's, or user space's if Guard.Proof tells so
)

// A Guard is a pointer a Field was read through. A faulting fetch leaves stale
// memory in the record, so the field may be believed only if every guard
// holds an address that can be read.
type Guard struct {
	Label string // "skb->dev"
	Arg   int    // index into Probe.Args of the pointer's own value, an x64
	Space Space
	Proof *Proof `json:",omitempty"` // that user memory was there; nil if there is none
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
