// Package target holds what the plans of a run are made for: the types of a kernel, what it can
// fetch, what its symbol table has, and what the run wants of every probe. It is filled in before,
// so that making plans touches no machine.
package target

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/constants"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/measure"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/tracepoint"
)

// Reserved says what a run records an event for, and what to trace instead.
type Reserved struct{ For, Instead string }

// A Target is the kernel that specs are resolved for.
type Target struct {
	Kernel   *btf.Kernel
	Arch     *abi.Arch
	Features dynevent.Features

	// Symbols returns what the kernel's symbol table has under these names. It is nil if
	// the kernel is not this host's. It is slow, so it is called once for all specs of
	// a run, and only if Live is set, or for a function that is not in BTF or more than
	// once in it. Symbols of modules may be left out for names that the kernel itself
	// has, unless modules is set.
	Symbols func(names []string, modules bool) (map[string]SymbolFacts, error)
	// Places says where the kernel has the variables and functions that the specs name, and
	// CPUs on which CPUs calls may be seen, if a spec asks for something that each of them
	// has its own of. Both are nil if the kernel is not this host's.
	Places map[string]SymbolPlace
	CPUs   *CPUs
	// OnlyCPUs are the CPUs whose calls are wanted, nil for all.
	OnlyCPUs []int
	// Modules are those that are loaded, with "_" for "-" in their names; nil if not known.
	Modules []string
	// Awaited has those modules of specs that are not loaded and that the run waits for.
	// Kernel has their types, or else the error says why not. It is nil if the run waits
	// for no modules.
	Awaited map[string]error
	// Traceable reports whether a function can be probed. It is nil if that is not known, or
	// not needed because no spec has a glob.
	Traceable func(module, name string) bool
	// ProbeSites returns the addresses that fprobe events have of the functions of the kernel
	// itself, by name; 0 for a name that several functions have. It is slow. It is nil if each
	// function is to have an event of its own.
	ProbeSites func() map[string]uint64
	// FromFile means that specs come from a file, so that less is possible: see weight.go.
	FromFile bool
	// HZ is how many jiffies a second has, 0 if that is not known.
	HZ int

	points map[string]bool     // see entryPoints
	types  map[string]btf.Type // see TypeOf
	table  *constants.Table    // see macros

	// ModuleFuncs returns the names of the functions of loaded modules, also of those
	// without BTF. It is slow, and called only for a name that is nowhere else. It is nil if
	// the kernel is not this host's.
	ModuleFuncs func() []string

	// SyscallParams returns the parameters of the kernel's own event for a system call.
	// SyscallNames returns the system calls that have an event. Both are nil if that is
	// not known.
	SyscallParams func(name string) ([]syscalls.Param, bool)
	SyscallNames  func() []string
	// SyscallReads returns the parameters of a system call whose texts the kernel's own
	// event reads (since 7.0); it may wait for a page to do so. It is nil if that is not
	// known.
	SyscallReads func(name string) []string

	// Tracepoints has the events of the kernel's own tracepoints. It is nil if they are not
	// known.
	Tracepoints *tracepoint.Set

	// FaultCount locates the kernel's counter of faulting fetches. It is nil if there is
	// none, if its place is not known, or if it is not needed.
	FaultCount *FaultCount

	// Witness returns where the counter of faults is on kernels without a FaultCount. It may
	// return nil, or be nil: then it is not known, or not to be used.
	Witness func() *Witness

	// LongestArg asks the kernel how many bytes a fetcharg may have. It is nil if there
	// is no kernel to ask, and called only for a fetcharg that is too long for Features.
	LongestArg func() int

	// Taken lists names that no event of the plans may have.
	Taken []string

	// Comm is a glob for the names of the tasks whose calls are wanted, "" for all.
	// CheckComm checks that the kernel can match it.
	Comm string

	// Live adds to every probe what tsnoop itself needs: the task's name, the caller, and
	// the stack pointer that pairs returns with entries.
	Live bool
	// CommAt is where a task of the running kernel has its name, in bytes; 0 if that is not
	// known, or $comm is to be used. See CommArg.
	CommAt int64
	// NamesKnown says that the names of tasks are known without being fetched.
	NamesKnown bool
	// NoCallers says that who calls the functions is not wanted.
	NoCallers bool
	// Deep also shows what each pointer to a struct points to.
	Deep bool
	// Pair makes every plan trace both entries and returns, with the return value.
	Pair bool
	// Calls says that tsnoop pairs the events into calls, so that only filters are used
	// that package calls allows. It is not set for lines that others read.
	Calls bool
	// Measures are fetched for every function, and not shown.
	Measures []*measure.Measure
	// MaxActive is the MaxActive of every return probe.
	MaxActive int
	// Reserved has the events of the kernel, as "SYSTEM/EVENT", that the run records for itself,
	// without a filter.
	Reserved map[string]Reserved

	// Nonce is put into the names of events and strings, so that a traced program cannot
	// print text that looks like them. It is empty for lines meant for people.
	Nonce string
	// AsText says that the events are read as the kernel's text.
	AsText bool
}

// MaxArg returns the most bytes of a fetcharg. It asks the kernel if want is more than
// Features allow.
func (t *Target) MaxArg(want int) int {
	limit := t.Features.MaxArg()
	if want > limit && t.LongestArg != nil {
		limit = max(limit, t.LongestArg())
	}
	return limit
}

// SymbolFacts are what a symbol table has on one function name.
type SymbolFacts struct {
	Offsets []uint64 // from _stext in bytes, one for each function of exactly that name; 0 if addresses are hidden
	Modules []string // modules that have a function of that name
	Clones  []string // name.isra.0 and the like
}

// CPUs are the CPUs of a machine.
type CPUs struct {
	Each     []dynevent.CPU // CPUs that probes are defined for, in ascending order
	Later    []int          // CPUs that are off and left out because there are too many
	NoOffset error          // why some in Each have no Offset; nil if nothing needs it
}

// A SymbolPlace says where a kernel has the symbols of one name.
type SymbolPlace struct {
	Addrs    []uint64 // empty if there is nothing of that name
	Hidden   bool     // the addresses are not known
	Function bool     // as far as addresses show that
	PerCPU   bool     // a per-CPU variable
	Module   bool     // in a module, which may be unloaded
	Room     uint64   // bytes to the next symbol; 0 if not known
}

// HasCurrent reports whether the running task can be fetched.
func (t *Target) HasCurrent() bool { return t.Features.Current || t.CPUs != nil }

// Existing returns those of the functions that this kernel has.
func (t *Target) Existing(names ...string) []string {
	var found []string
	for _, name := range names {
		if !slices.Contains(found, name) && t.Kernel.HasFunc(name) {
			found = append(found, name)
		}
	}
	return found
}

// Waits reports whether the run waits for a module. If it does, why says why
// nothing is known of the module.
func (t *Target) Waits(module string) (awaited bool, why error) {
	why, awaited = t.Awaited[module]
	return awaited, why
}

// Lacks reports whether it is known that a module is not loaded.
func (t *Target) Lacks(module string) bool {
	return t.Modules != nil && !slices.Contains(t.Modules, strings.ReplaceAll(module, "-", "_"))
}
