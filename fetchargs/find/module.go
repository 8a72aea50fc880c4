package find

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// probeWords are words that other tools write before a function. The value is true
// if the word stands for the function's return.
var probeWords = map[string]bool{
	"p": false, "kprobe": false, "k": false, "fentry": false, "kfunc": false, "f": false, "fprobe": false, "probe": false,
	"r": true, "kretprobe": true, "kr": true, "fexit": true, "kretfunc": true,
}

// rawWords are words that bpftrace and libbpf write before the name of a tracepoint without
// its system.
var rawWords = []string{"raw_tp", "rawtracepoint", "raw_tracepoint", "rt", "tp_btf", "tp", "t", "tracepoint"}

// noModule returns the error for a module that does not exist or has no BTF.
func noModule(t *target.Target, s *spec.Spec, missing *btf.NotFoundError) *spec.Error {
	module, name := s.Module.Text, s.Func.Text
	e := &spec.Error{Text: s.Text, Span: s.Module.Span, Err: missing}
	if ret, known := probeWords[module]; known && (t.Modules == nil || t.Lacks(module)) {
		e.Msg = fmt.Sprintf("functions are named without %s:", module)
		e.Mend(s.Span, "write ", withoutModule(t, s, ret))
		return e
	}
	if events := eventsNamed(t, name); len(events) > 0 && slices.Contains(rawWords, module) {
		e.Msg = fmt.Sprintf("tracepoints are named by their systems, not with %s:", module)
		e.Mend(s.Span, "write ", events[0]+s.Text[s.Func.Span.End:s.End])
		return e
	}
	if events := eventsNamed(t, name); len(events) > 0 && !isModule(t, module) {
		e.Msg = fmt.Sprintf("there is no event %s of %s in this kernel", name, module)
		e.Hint = spec.DidYouMean(events, "")
		return e
	}
	if isTracepoint(t, module, name) {
		e.Msg = fmt.Sprintf("%s:%s is a tracepoint, whose fields are not known here", module, name)
		e.Hint = besideTracepoint(t, module, name)
		return e
	}
	own := ""
	if t.Kernel.HasFunc(name) {
		e.Fix = spec.Fix{Span: s.Span, Text: withoutModule(t, s, false)}
		own = "write the function of the kernel itself: " + e.Fix.Text
	}
	awaited, why := t.Waits(module)
	switch {
	case awaited && why != nil:
		e.Msg = fmt.Sprintf("which functions the module %s has is not known before it is loaded: %v", module, why)
		e.Hint = "give its BTF after that of the kernel: --btf /sys/kernel/btf/vmlinux --btf FILE; or name a function without a glob"
	case t.Lacks(module):
		e.Msg, e.Hint = fmt.Sprintf("the module %s is not loaded", module), "load it first: modprobe "+module
		if t.Live {
			e.Hint += "; or wait for it with --wait-module"
		}
	case t.Modules == nil:
		e.Msg, e.Hint = fmt.Sprintf("there is no BTF of the module %s", module), "give its file after that of the kernel: --btf KERNEL --btf FILE"
		if t.Tracepoints == nil {
			e.Hint += "; or run tsnoop on the host that has the events of " + module
		}
	default:
		e.Msg = fmt.Sprintf("there is no BTF of the module %s, and so no list of its functions", module)
		e.Hint = "give its BTF after that of the kernel, which has BTF of modules since 5.11: --btf /sys/kernel/btf/vmlinux --btf FILE"
	}
	if own != "" {
		e.Hint = own
	}
	e.Hint = spec.DidYouMean(missing.Suggestions, e.Hint)
	return e
}

// isTracepoint reports whether name is a tracepoint. BTF has a type for each, except for
// those of system calls. system is the group that other tools name before it.
func isTracepoint(t *target.Target, system, name string) bool {
	if system == "syscalls" {
		_, ok := callOfTracepoint(name)
		return ok
	}
	_, err := t.Kernel.Type("btf_trace_" + name)
	return err == nil
}

// eventsNamed returns the events of a name, as specs have them, whatever system they belong to.
func eventsNamed(t *target.Target, name string) (all []string) {
	for _, system := range eventSystems(t) {
		if slices.Contains(t.Tracepoints.Events(system), name) {
			all = append(all, system+":"+name)
		}
	}
	return all
}

// besideTracepoint says what can be traced instead of a tracepoint.
func besideTracepoint(t *target.Target, system, name string) string {
	if call, ok := callOfTracepoint(name); ok && system == "syscalls" {
		if !slices.Contains(t.CallNames(), call) {
			return "trace the system call: sys_CALL"
		}
		return "trace the system call: sys_" + call
	}
	return fmt.Sprintf("trace functions that call it, or record it with trace-cmd record -e %s:%s", system, name)
}

// callOfTracepoint returns the system call that a tracepoint of the group syscalls is of.
func callOfTracepoint(name string) (call string, ok bool) {
	if call, ok = strings.CutPrefix(name, "sys_enter_"); !ok {
		call, ok = strings.CutPrefix(name, "sys_exit_")
	}
	return call, ok
}

// withoutModule returns the spec for the kernel's own function. ret says that only
// its return is wanted.
func withoutModule(t *target.Target, s *spec.Spec, ret bool) string {
	before, after := s.Text[s.Func.Span.Pos:s.Func.Span.End], s.Text[s.Func.Span.End:s.End]
	if ret && !returnsNothing(t, s.Func.Text) {
		rest, empty := strings.CutPrefix(after, "()")
		if empty || !s.Parens {
			return before + "(return)" + rest
		}
	}
	return before + after
}

func returnsNothing(t *target.Target, name string) bool {
	if !t.Kernel.HasFunc(name) {
		return false
	}
	f, err := t.Kernel.Func("vmlinux", name)
	return err == nil && btf.IsVoid(f.Return)
}

// builtIn returns a function of the kernel itself that was asked for in a module
// which is built into this kernel: ext4:ext4_file_open. The name of the function
// shows this. It returns nil if there is none.
func builtIn(t *target.Target, module, name string) *btf.Func {
	if !namedAfter(module, name) || !t.Kernel.HasFunc(name) {
		return nil
	}
	f, err := t.Kernel.Func("vmlinux", name)
	if err != nil {
		return nil
	}
	return f
}

// isBuiltIn reports whether the functions that a spec asks for in a module are the kernel's own.
func isBuiltIn(t *target.Target, s *spec.Spec) bool {
	own, err := t.Kernel.FuncNames("vmlinux", s.Func.Text)
	return err == nil && len(own) > 0 && namedAfter(s.Module.Text, s.Func.Text)
}

// namedAfter reports whether the name of a function begins with the name of a module.
func namedAfter(module, name string) bool {
	_, other := probeWords[module]
	return !other && strings.HasPrefix(name, strings.ReplaceAll(module, "-", "_")+"_")
}
