package fetchargs

import (
	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
)

// A Target is the kernel that specs are resolved for.
type Target struct {
	Kernel   *btf.Kernel
	Arch     *abi.Arch
	Features Features

	// Symbols tells what the kernel's symbol table has under these names. It
	// is nil when the kernel is not this machine's. It takes long, so it is
	// called once for all specs of a run, and only if Live or for a function
	// that BTF does not know or knows more than once. Of modules it need not tell
	// what the kernel itself has, unless modules is set.
	Symbols func(names []string, modules bool) (map[string]SymbolFacts, error)
	// Place tells where the kernel has a variable or function. It is nil when
	// the kernel is not this machine's.
	Place func(name string) (SymbolPlace, error)
	// ModuleLoaded reports whether a module is in the kernel; nil if not known.
	ModuleLoaded func(name string) bool
	// Await reports whether there is to be a wait for a module that is not loaded, and
	// has its types in Kernel from then on; if it cannot, why says why. It is nil if
	// none is waited for.
	Await  func(name string) (awaited bool, why error)
	points map[string]bool // see entryPoints

	// Traceable gives what tells which functions can be probed, nil if that is
	// not known. It takes long, so it is called only if a spec has a glob.
	Traceable func() func(module, name string) bool

	// SyscallParams are the parameters that the kernel's own event of a system call
	// has, and SyscallNames are those that have an event. Both are nil if that is not
	// known.
	SyscallParams func(name string) ([]SyscallParam, bool)
	SyscallNames  func() []string
	// SyscallReads are the parameters of a system call whose texts its event reads,
	// where the kernel may wait for a page (7.0); nil if that is not known.
	SyscallReads func(name string) []string

	// FaultCount is where the kernel counts what faults, nil if it does not, or it
	// is not known, or is not needed.
	FaultCount *FaultCount

	// HZ asks how many jiffies a second has, 0 if that is not known. It is nil when the
	// kernel is not this machine's, and called only for what may have jiffies.
	HZ func() int

	// LongestArg asks the kernel how long a fetcharg may be, nil if there is none
	// to ask. It is called only for one that is too long for Features.
	LongestArg func() int

	// Taken are names that no event of the plans may have.
	Taken []string

	// Comm is a glob for the names of the tasks whose calls are wanted, "" for
	// all. CheckComm tells whether the kernel can look for it.
	Comm string

	// Live adds what tsnoop itself needs to every probe: the task's name, the
	// caller, and the stack pointer that pairs returns with entries.
	Live bool
	// Deep shows of every pointer to a struct what it points to, too.
	Deep bool
	// Pair has every plan see both entries and returns, with the return value.
	Pair bool
	// Calls says that tsnoop makes calls of the events: what the kernel may filter
	// is then what package calls allows. Without it lines are meant for others.
	Calls bool
	// Measures are fetched of every function, and not shown.
	Measures []*Measure
	// MaxActive is that of every return probe.
	MaxActive int
	// Nonce is put into the names of events and strings, so that text from a
	// traced program cannot pass for them. Empty for lines meant for people.
	Nonce string
}

// Features are what a kernel's tracefs/README offers.
type Features struct {
	ArgN    bool // $argN, since 4.20
	Ustring bool // ustring and +u, since 5.3
	Symbol  bool // the type symbol, since 5.0
	ArgSize int  // bytes that one fetcharg may have; 0 means 63

	ReturnArgs bool // $argN in return probes, since 6.9
	Immediate  bool // \1, since 5.5
	Current    bool // $current, since 7.3
	Keeps      bool // of a string behind a faulting pointer the place is kept, since 6.5: see Proof
}

// MaxArg is the longest fetcharg, name and "=" not counted: MAX_ARGSTR_LEN in
// kernel/trace/trace_probe.h, 63 up to 7.2.
func (f Features) MaxArg() int {
	if f.ArgSize == 0 {
		return 63
	}
	return f.ArgSize
}

// maxArg is how long a fetcharg may be, of which that many bytes are wanted.
func (t *Target) maxArg(want int) int {
	limit := t.Features.MaxArg()
	if want > limit && t.LongestArg != nil {
		limit = max(limit, t.LongestArg())
	}
	return limit
}

// SymbolFacts is what a symbol table knows of one function name.
type SymbolFacts struct {
	Offsets []uint64 // from _stext, one for each function of exactly that name; 0 where addresses are hidden
	Modules []string // modules that have one
	Clones  []string // name.isra.0 and the like
}
