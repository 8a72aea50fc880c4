package define

import (
	"errors"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/proc/symbols"
	"golang.org/x/sys/unix"
)

// Reasons finds out why this kernel refuses probes.
type Reasons struct {
	fs        *tracefs.FS
	blacklist func() map[string]bool
}

// NewReasons returns the reasons of the running kernel. fs may be nil if nothing is to be
// defined.
func NewReasons(fs *tracefs.FS) *Reasons {
	return &Reasons{fs, sync.OnceValue(proc.LoadBlacklist)}
}

// refusal turns the kernel's refusal of a definition into an error that shows the place
// in the user's spec.
func (r *Reasons) refusal(p *plan.Probe, line string, err error) (*spec.Error, bool) {
	var refused *tracefs.KernelError
	if !errors.As(err, &refused) || ofHost(err) {
		return nil, false
	}
	e := &spec.Error{
		Text: p.Plan.Spec.Text,
		Span: p.Locate(line, refused.Column),
		Msg:  "the kernel refuses this: " + refused.Text,
		Hint: "check the definition that the kernel was given: " + line,
		Err:  err,
	}
	if e.Span != p.Plan.Spec.Func.Span || !p.Kind.AtFunction() {
		return e, true
	}
	if a, name := unknownVariable(p); a != nil {
		e.Span, e.Msg, e.Hint = a.Span, "there is no variable "+name+" in this kernel", "look for variables: grep -i ' [bdr] ' /proc/kallsyms"
		return e, true
	}
	name := p.Plan.Func.Name
	if p.Plan.IsSyscall() {
		name = p.Symbols[0]
	}
	switch reason := r.WhyNot(name, p.Plan.Func.Module); {
	case errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES):
		e.Msg = "the kernel does not permit this probe: " + refused.Text
		e.Hint = "run tsnoop check to see what this host allows"
	case reason != "":
		e.Msg = "the kernel cannot probe " + p.Plan.Spec.Func.Text + ": " + reason
		e.Hint = "probe a function that calls it, or that it calls"
	}
	return e, true
}

// refusalOfMany is like refusal, for one function of a glob. It is brief, and does not
// search files of sixty thousand lines for the reason each time.
func (r *Reasons) refusalOfMany(p *plan.Probe, line string, err error) (*spec.Error, bool) {
	var refused *tracefs.KernelError
	if !errors.As(err, &refused) || ofHost(err) {
		return nil, false
	}
	e := &spec.Error{Text: p.Plan.Spec.Text, Span: p.Locate(line, refused.Column), Err: err}
	e.Msg = "the kernel refuses it: " + refused.Text
	e.Hint = "check the first definition that the kernel was given: " + line
	if e.Span == p.Plan.Spec.Func.Span && r.Blacklisted(p.Plan.Func.Name) {
		e.Msg = "on the kernel's blacklist"
	}
	return e, true
}

// ofHost reports whether an error is about the host, not about what was written.
func ofHost(err error) bool {
	return errors.Is(err, unix.EIO) || errors.Is(err, unix.ENOMEM) || errors.Is(err, unix.ENOSPC)
}

// unknownVariable finds an @SYMBOL that the kernel does not have. The kernel says only
// that some symbol of the definition is wrong.
func unknownVariable(p *plan.Probe) (*dynevent.Arg, string) {
	table := symbols.Running() // with the modules that are loaded now
	for i := range p.Args {
		base := p.Args[i].Base
		if base.Kind != dynevent.Memory {
			continue
		}
		if place, err := table.Place(base.Name); err == nil && len(place.Addrs) == 0 {
			return &p.Args[i], base.Name
		}
	}
	return nil, ""
}

// Blacklisted reports whether a function is on the kernel's blacklist.
func (r *Reasons) Blacklisted(name string) bool { return r.blacklist()[name] }

// WhyNot says why a function cannot be probed, as far as this kernel shows it.
func (r *Reasons) WhyNot(name, module string) string {
	if strings.HasPrefix(name, "__pfx_") || strings.HasPrefix(name, "__cfi_") {
		return "it is only the padding before a function"
	}
	if r.Blacklisted(name) {
		return "it is on the kernel's blacklist, because kprobes need it themselves"
	}
	if !r.fs.Untraceable(name) {
		return ""
	}
	switch {
	case module != "":
		return "it is not traceable (notrace, or only for the module's start)"
	case atStart(name):
		return "it runs only while the kernel starts"
	}
	return "it is not traceable (notrace or assembly)"
}

// atStart reports whether a function of the kernel is in the code that is freed after the start.
func atStart(name string) bool {
	table := symbols.Running()
	begin, _ := table.Addr("_sinittext")
	end, _ := table.Addr("_einittext")
	addr, _ := table.Addr(name)
	return begin <= addr && addr < end
}
