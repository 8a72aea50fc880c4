package trace

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// PlanOptions says what specs are resolved for. The zero value is for a trace on
// this machine.
type PlanOptions struct {
	// Kernel has the types, Arch and Features say what it runs on and what its
	// tracefs offers. What is nil is this machine's.
	Kernel   *btf.Kernel
	Arch     *abi.Arch
	Features *fetchargs.Features

	Deep      bool                 // of every pointer to a struct what it points to is shown, too
	Chain     bool                 // each plan is a step of a chain
	Pair      bool                 // every call is seen at its entry and its return
	Measures  []*fetchargs.Measure // what calls are added up by, which is fetched and not shown
	MaxActive int                  // calls that a return probe can follow at a time; 0 lets Arm decide
	Comm      string               // glob of the names of tasks that are traced, "" for all
	Text      bool                 // text may be read, so what is traced must not be able to fake it
	Wait      bool                 // functions may be of modules that are not loaded, which Arm arms for

	// Lines are meant for people: the definitions have nothing in them that only a
	// Trace needs, so they cannot be armed. Explained ones are resolved as for a
	// trace, but for that.
	Lines, Explained bool

	taken     []string                              // names of events that are armed already
	traceable func() func(module, name string) bool // nil asks the kernel each time
}

// elsewhere tells whether the plans are for another machine. What is armed is armed on
// this one, wherever its types come from.
func (o *PlanOptions) elsewhere() bool {
	return o.Kernel != nil && o.Lines || o.Arch != nil || o.Features != nil
}

// Plan makes plans of specs. What is wrong with them comes as a spec.Errors
// that has all of it; without types an error wraps btf.ErrNoBTF.
func (m *Machine) Plan(specs []string, o PlanOptions) ([]*fetchargs.Plan, error) {
	target, err := m.Target(o)
	if err != nil {
		return nil, err
	}
	plans, err := Resolve(specs, target)
	if err != nil {
		return nil, err
	}
	if o.Chain {
		plans, _ = fetchargs.Steps(plans, nil)
	}
	if !o.Lines && o.Comm != "" && slices.ContainsFunc(plans, (*fetchargs.Plan).Paired) {
		renames, err := fetchargs.Renames(target)
		if err != nil {
			return nil, err
		}
		plans = append(plans, renames)
	}
	return plans, nil
}

// Target describes the kernel that specs are resolved for. Where this machine's
// tracefs cannot be read, what every kernel since 5.10 has is assumed.
func (m *Machine) Target(o PlanOptions) (*fetchargs.Target, error) {
	t := &fetchargs.Target{
		Kernel: o.Kernel, Arch: o.Arch, Deep: o.Deep, Pair: o.Pair, Measures: o.Measures, MaxActive: o.MaxActive, Comm: o.Comm, Taken: o.taken,
		Live: !o.Lines, Calls: !o.Lines || o.Explained,
	}
	if t.Kernel == nil {
		t.Kernel = btf.Running()
	}
	if t.Arch == nil {
		t.Arch = abi.Named("")
	}
	if t.Arch == nil {
		return nil, ErrArch
	}
	if o.Text && !o.Lines {
		t.Nonce = nonce()
	}
	if err := m.features(t, o); err != nil {
		return nil, err
	}
	if o.elsewhere() {
		return t, nil
	}
	t.Symbols, t.Place, t.ModuleLoaded, t.HZ = m.SymbolFacts, m.symbolPlace(proc.LookupPlace), proc.ModuleLoaded, m.hz
	if o.Wait {
		t.Await = m.await(t.Kernel)
	}
	if t.Live && !t.Features.Keeps {
		end, err := proc.UserEnd()
		if err != nil {
			return nil, err
		}
		t.FaultCount = fetchargs.FaultCountOf(t.Kernel, m.symbolPlace(proc.LookupAddrs), end)
	}
	if m.fs != nil {
		t.LongestArg = sync.OnceValue(m.fs.LongestArg)
		if t.Traceable = o.traceable; t.Traceable == nil {
			t.Traceable = m.fs.TraceableFunctions
		}
		t.SyscallReads = m.fs.SyscallReads
		t.SyscallNames, t.SyscallParams = sync.OnceValue(m.fs.Syscalls), m.syscallParams
	}
	return t, nil
}

// ErrArch says that this machine's architecture is not known.
var ErrArch = errors.New("this machine's architecture is not supported")

func (m *Machine) features(t *fetchargs.Target, o PlanOptions) error {
	switch {
	case o.Features != nil:
		t.Features = *o.Features
	case m.fs != nil:
		f, err := m.fs.Features()
		if err != nil {
			return err
		}
		t.Features = fetchargs.Features{ArgN: f.ArgN, Ustring: f.Ustring, Symbol: f.Symbol, ReturnArgs: f.ReturnArgs, Immediate: f.Immediate, Current: f.Current, Keeps: f.Symstr}
	default:
		t.Features = fetchargs.Features{ArgN: true, Ustring: true, Symbol: true}
	}
	return nil
}

// Resolve parses all specs and resolves those that are well formed, so that one
// spec.Errors has all that is wrong, in the order of the specs.
func Resolve(texts []string, t *fetchargs.Target) ([]*fetchargs.Plan, error) {
	var wrong spec.Errors
	var specs []*spec.Spec
	for _, text := range texts {
		parsed, err := spec.Parse(text)
		var errs spec.Errors
		if errors.As(err, &errs) {
			wrong = append(wrong, errs...)
			continue
		}
		specs = append(specs, parsed)
	}
	plans, err := fetchargs.Resolve(specs, t)
	var errs spec.Errors
	if errors.As(err, &errs) {
		wrong = append(wrong, errs...)
	} else if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		slices.SortStableFunc(wrong, func(a, b *spec.Error) int {
			return slices.Index(texts, a.Text) - slices.Index(texts, b.Text)
		})
		return nil, wrong
	}
	return plans, nil
}

// nonce is unguessable, so that no traced program can print something that
// looks like an event.
func nonce() string {
	return strings.ToLower(rand.Text()[:6])
}
