package host

import (
	"errors"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
)

// Target describes the kernel that specs are resolved for. If this host's tracefs
// cannot be read, it is assumed to offer what every kernel since 5.10 does.
func (h *Host) Target(o PlanOptions) (*target.Target, error) {
	t := &target.Target{
		Kernel: o.Kernel, Arch: o.Arch, Deep: o.Deep, Pair: o.Pair, Measures: o.Measures, MaxActive: o.MaxActive, Comm: o.Comm, Taken: o.Taken, FromFile: o.FromFile,
		Live: !o.Lines, Calls: !o.Lines || o.Explained,
	}
	if t.Kernel == nil {
		t.Kernel = h.types()
	}
	if t.Arch == nil {
		t.Arch = abi.Named("")
	}
	if t.Arch == nil {
		return nil, ErrArch
	}
	if o.Text && !o.Lines {
		t.Nonce, t.AsText = nonce(), !o.Raw
	}
	if err := h.features(t, o); err != nil {
		return nil, err
	}
	if o.elsewhere() {
		return t, nil
	}
	t.Symbols, t.Modules = h.SymbolFacts, proc.ModuleNames()
	t.ModuleFuncs = func() []string {
		names, _ := h.Symbols.ModuleFuncs("") // they are only suggested
		return names
	}
	t.Places, t.CPUs, t.OnlyCPUs = map[string]target.SymbolPlace{}, &target.CPUs{}, o.CPUs
	if o.Wait {
		t.Awaited = map[string]error{}
	}
	if t.Live && !t.Features.Keeps {
		end, err := proc.UserEnd()
		if err != nil {
			return nil, err
		}
		t.FaultCount = target.FaultCountOf(t.Kernel, h.Symbols.Addrs, end)
	}
	if t.Live && t.Features.Current && o.Kernel == nil { // types that were given may be of another build
		t.CommAt = target.CommAtOf(t.Kernel)
	}
	if t.Live && o.Witness && o.Kernel == nil && t.Features.Keeps && t.Features.Immediate {
		t.Witness = h.WitnessPlace
	}
	t.NoCallers = o.NoCallers
	t.NamesKnown = o.Names && o.Kernel == nil && h.NamesBy() != nil
	if t.Live {
		t.Reserved = map[string]target.Reserved{tracefs.NewTaskEvent: {For: "to distinguish threads from processes", Instead: "trace wake_up_new_task(p->pid, p->comm)"}}
	}
	if h.FS != nil {
		t.LongestArg = sync.OnceValue(h.FS.LongestArg)
		t.Tracepoints = h.tracepoints()
		t.SyscallReads = h.FS.SyscallReads
		t.SyscallNames, t.SyscallParams = sync.OnceValue(h.FS.Syscalls), h.syscallParams()
	}
	return t, nil
}

// refuser returns a function for fetchargs.ResolveTried. A function that ftrace knows and
// kprobes do not need themselves can be probed. For all else the kernel is asked, if live is
// set, with probes that are never enabled.
func (h *Host) refuser(t *target.Target) func(*plan.Plan) (spec.Errors, error) {
	return func(p *plan.Plan) (spec.Errors, error) {
		if p.Glob != nil || !p.AtFunction() { // a glob has only functions that can be probed
			return nil, nil
		}
		name := p.Func.Name
		if p.IsSyscall() {
			name = p.Probes[0].Symbols[0]
		}
		known := h.Traceable()
		switch {
		case h.Reasons.Blacklisted(name):
			msg := "the kernel cannot probe " + p.Spec.Func.Text + ": " + h.Reasons.WhyNot(name, p.Func.Module)
			return spec.Errors{{Text: p.Spec.Text, Span: p.Spec.Func.Span, Msg: msg}}, nil
		case known != nil && known(p.Func.Module, name) || !t.Live:
			return nil, nil
		}
		return h.Reasons.Trial(p)
	}
}

// ErrArch says that this host's architecture is not supported.
var ErrArch = errors.New("this host's architecture is not supported")

func (h *Host) features(t *target.Target, o PlanOptions) error {
	switch {
	case o.Features != nil:
		t.Features = *o.Features
	case h.FS != nil:
		f, err := h.FS.Features()
		if err != nil {
			return err
		}
		t.Features = dynevent.Features{ArgN: f.ArgN, Ustring: f.Ustring, Symbol: f.Symbol, ReturnArgs: f.ReturnArgs, Immediate: f.Immediate, Current: f.Current, Keeps: f.Symstr, Eprobe: f.Eprobe, Tprobe: f.Tprobe, Fprobe: f.Fprobe}
	default:
		t.Features = dynevent.Features{ArgN: true, Ustring: true, Symbol: true}
	}
	return nil
}
