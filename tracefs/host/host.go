// Package host finds out what this host offers for tracing: its types, symbols, features
// and functions. It asks for each thing only once, and plans specs for what it has found.
package host

import (
	"maps"
	"slices"
	"sync"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/define"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
)

// A Host is the running kernel as one run sees it. It reads each thing only once.
// For another trace, perhaps after modules were loaded, make another Host.
type Host struct {
	FS      *tracefs.FS // nil if it cannot be read
	Symbols *symbols.Table
	Reasons *define.Reasons

	types  func() *btf.Kernel       // of this host
	hz     func() int               // jiffies a second, 0 if not known
	swap   func() *plan.Plan        // see NamesBy
	sites  func() map[string]uint64 // see symbols.Table.Sites; nil if that is not known
	builds map[string]string        // builds of modules whose types were read before they are loaded

	// WitnessPlace returns where this host has what a witness needs, nil if it does not
	// show that.
	WitnessPlace func() *target.Witness

	// Traceable returns a function that reports whether a function can be probed, nil if that
	// is not known. FS must not be nil.
	Traceable func() func(module, name string) bool

	mu    sync.Mutex
	facts map[string]target.SymbolFacts // facts about the names that were asked for without modules
}

// New returns a Host. fs may be nil if tracefs cannot be read. Then nothing
// can be armed, and PlanOptions.Lines must be set.
func New(fs *tracefs.FS) *Host {
	h := &Host{
		FS:      fs,
		types:   sync.OnceValue(btf.Running),
		Symbols: symbols.Running(),
		Reasons: define.NewReasons(fs),
		hz:      sync.OnceValue(func() int { return proc.HZ(release()) }),
		builds:  map[string]string{},
		facts:   map[string]target.SymbolFacts{},
	}
	h.WitnessPlace = sync.OnceValue(func() *target.Witness { return target.WitnessOf(h.types(), h.Symbols.Addrs) })
	h.swap = sync.OnceValue(h.planSwap)
	h.sites = sync.OnceValue(h.readSites)
	h.Traceable = sync.OnceValue(func() func(module, name string) bool { return h.traceableOr(h.FS.TraceableFunctions) })
	return h
}

// SymbolFacts looks up functions by name in this host's symbol table. Modules are
// searched if modules is set or if the kernel itself lacks one of the names. If the
// table hides addresses or does not exist, the result is nil, and names are used as
// they are.
//
// The answers are kept: when a file of specs is edited, most names stay the same, and
// searching the table takes a large part of the time.
func (h *Host) SymbolFacts(names []string, modules bool) (map[string]target.SymbolFacts, error) {
	if modules {
		return h.lookUp(names, true)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	known := make(map[string]target.SymbolFacts, len(names))
	var further []string
	for _, name := range names {
		if f, ok := h.facts[name]; ok {
			known[name] = f
		} else {
			further = append(further, name)
		}
	}
	if len(further) == 0 && len(names) > 0 {
		return known, nil
	}
	found, err := h.lookUp(further, false)
	if found == nil || err != nil {
		return nil, err
	}
	maps.Copy(h.facts, found)
	maps.Copy(known, found)
	return known, nil
}

// lookUp searches the symbol table for SymbolFacts.
func (h *Host) lookUp(names []string, modules bool) (map[string]target.SymbolFacts, error) {
	facts, stext, err := h.Symbols.Facts(names, modules)
	if facts == nil {
		return nil, err
	}
	out := make(map[string]target.SymbolFacts, len(facts))
	for name, f := range facts {
		s := target.SymbolFacts{Modules: f.Modules, Clones: f.Clones, Offsets: make([]uint64, f.Count)}
		for i, addr := range f.Addrs {
			if stext != 0 && i < f.Count {
				s.Offsets[i] = addr - stext
			}
		}
		out[name] = s
	}
	return out, nil
}

// syscallParams returns a function that reads the parameters of a system call from the format
// of its event, each only once: a glob asks for those of some hundred calls, twice.
func (h *Host) syscallParams() func(name string) ([]syscalls.Param, bool) {
	known := map[string][]syscalls.Param{} // nil for a call without an event
	return func(name string) ([]syscalls.Param, bool) {
		params, read := known[name]
		if !read {
			if fields, ok := h.FS.SyscallFields(name); ok {
				params = make([]syscalls.Param, len(fields))
				for i, f := range fields {
					params[i] = syscalls.Param{Type: f.Type, Name: f.Name}
				}
			}
			known[name] = params
		}
		return slices.Clone(params), params != nil
	}
}

// CountsFaults reports whether the kernel counts a fetch that faults as a miss, of every probe
// on the function, and plans can have such fetches, or there may be further plans. There is an
// event nevertheless. So did each architecture's
// kprobe_fault_handler, which 5.14 took away together with this member (ec6aba3d2be1).
func (h *Host) CountsFaults(plans []*plan.Plan, further bool) bool {
	if !further && !slices.ContainsFunc(plan.Probes(plans), (*plan.Probe).Follows) {
		return false
	}
	if f, err := h.FS.Features(); err == nil && f.Symstr {
		return false // it is far newer, and the types need not be searched
	}
	t, err := h.types().Type("struct kprobe")
	if err != nil {
		return false
	}
	_, err = btf.Member(t, "fault_handler")
	return err == nil
}
