package find

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// A Syscall is a system call of a kernel, as programs of one kind call it. Its arguments
// are in the saved registers of the caller.
type Syscall struct {
	Name   string // the kernel's name without "sys_": "openat"
	symbol string // the function in the kernel: "__x64_sys_openat"
	ABI    *abi.Syscalls
	Proto  *btf.Func           // the prototype that programs see
	narrow bool                // 32-bit programs call another function
	Source *btf.Func           // the prototype of the kernel's source, for people
	Own    []string            // for each parameter, its set of constants or its FORMAT
	Lost   []error             // for each parameter, why its place is not known
	Shown  []*syscalls.Content // for each parameter, what is shown of the memory that it points to
}

// namedSyscalls returns the system calls that a spec names: that of the machine's own
// programs, and that of 32-bit programs if it is a function of its own. It returns none
// if the kernel has a function of that name, or no such system call.
func namedSyscalls(t *target.Target, s *spec.Spec) []*Syscall {
	if s.Module.Text != "" && s.Module.Text != syscalls.Module {
		return nil
	}
	name, narrow := strings.CutPrefix(s.Func.Text, syscalls.Compat+"sys_")
	name = strings.TrimPrefix(name, "sys_")
	calls := callsNamed(t, syscalls.Alias(name))
	if calls == nil {
		calls = callsNamed(t, name)
	}
	if narrow && len(calls) > 0 {
		calls = calls[1:]
		if own := slices.IndexFunc(calls, func(c *Syscall) bool { return c.Name == name }); own >= 0 {
			calls = calls[own : own+1]
		}
	} else if narrow {
		calls = OnlyNarrow(t, name)
	}
	if len(calls) > 0 && s.Module.Text == "" && t.Kernel.HasFunc(s.Func.Text) {
		return nil
	}
	return calls
}

// plainSyscall returns the function of a system call that takes its arguments like any
// other function, as before 4.17. It returns "" if there is none.
func plainSyscall(t *target.Target, s *spec.Spec) string {
	short := strings.TrimPrefix(s.Func.Text, "sys_")
	_, known := t.CallProto(short)
	if !known || s.Module.Text != syscalls.Module && (s.Module.Text != "" || t.Kernel.HasFunc(s.Func.Text)) {
		return ""
	}
	for _, prefix := range []string{"sys_", "SyS_"} {
		if t.Kernel.HasFunc(prefix + short) {
			return prefix + short
		}
	}
	return ""
}

// matchingSyscalls returns the system calls that match a glob which begins with "sys_" or
// belongs to the module syscall. Calls of 32-bit programs, as many again, match only
// globs that begin with "compat_sys_".
func matchingSyscalls(t *target.Target, s *spec.Spec) []*Syscall {
	of := s.Module.Text == syscalls.Module
	glob, narrow := strings.CutPrefix(s.Func.Text, syscalls.Compat+"sys_")
	if narrow {
		glob = "sys_" + glob
	}
	if !of && (s.Module.Text != "" || !strings.HasPrefix(glob, "sys_")) {
		return nil
	}
	match, err := btf.Glob(glob)
	if err != nil {
		return nil
	}
	var all []*Syscall
	for _, name := range t.CallNames() {
		if !match("sys_"+name) && !(of && match(name)) {
			continue
		}
		for _, c := range callsNamed(t, name) {
			if c.ABI.Narrow == narrow && !(narrow && c.Name != name) {
				all = append(all, c)
			}
		}
	}
	if narrow {
		for _, c := range allNarrow(t) {
			if match("sys_" + c.Name) {
				all = append(all, c)
			}
		}
	}
	return all
}

// noSyscall returns the error for a name that is not a system call of the kernel.
func noSyscall(t *target.Target, s *spec.Spec) *spec.Error {
	msg := "there is no system call %s in this kernel"
	if spec.IsGlob(s.Func.Text) {
		msg = "no system call of this kernel matches %s"
	}
	suggestions := btf.Suggest(strings.TrimPrefix(s.Func.Text, "sys_"), slices.Values(t.CallNames()))
	return s.Errorf(spec.DidYouMean(suggestions, ""), msg, s.Func.Text)
}

// syscallJobs returns a job for each system call.
func syscallJobs(s *spec.Spec, g *Glob, calls ...*Syscall) []Job {
	var jobs []Job
	for _, c := range calls {
		jobs = append(jobs, Job{Spec: s.ForSyscall(c.Proto.Name), Source: source.Syscall, EntryPoint: c.symbol, Glob: g, named: s.Func.Text, Call: c})
	}
	return jobs
}

// traceable reports whether the function can be probed. If several functions share an
// address, the kernel lists only one of them.
func (c *Syscall) traceable(t *target.Target) bool {
	return traceable(t, "", c.symbol) || len(c.Proto.Params) == 0 && (traceable(t, "", "__do_sys_"+c.Name) || traceable(t, "", "__ia32_sys_"+c.Name))
}

// syscall looks up the function of a system call.
func (r *Function) syscall() error {
	r.Proto = r.Call.Proto
	if !r.Target.Live {
		return nil
	}
	if r.lookUp(); r.known && len(r.facts.Offsets) == 0 {
		return spec.Errorf(r.Spec.Func.Span, "", "this kernel has been built without the system call %s: there is no %s", r.Call.Name, r.Call.symbol)
	}
	return nil
}

// callsNamed returns the functions of the system call name, none if there is no such call.
func callsNamed(t *target.Target, name string) []*Syscall {
	proto, ok := t.CallProto(name)
	if !ok {
		return nil
	}
	var calls []*Syscall
	for i := range t.Arch.Syscalls {
		way := &t.Arch.Syscalls[i]
		if way.Narrow {
			calls = append(calls, narrowCalls(t, name, proto, i)...)
			continue
		}
		symbol := syscallSymbol(t, name, way.Prefixes, len(proto.Params) == 0)
		if symbol == "" {
			return nil
		}
		calls = append(calls, newSyscall(t, name, symbol, way, proto))
	}
	calls[0].narrow = len(calls) > 1
	return calls
}

// syscallSymbol returns the function that programs of one kind call. A system call
// without parameters has one function for all programs, and BTF has it under the name of
// its definition.
func syscallSymbol(t *target.Target, name string, prefixes []string, none bool) string {
	known := t.EntryPoints()
	for _, prefix := range prefixes {
		if known[prefix+name] || none && known["__do_sys_"+name] {
			return prefix + name
		}
	}
	return ""
}

func newSyscall(t *target.Target, name, symbol string, way *abi.Syscalls, proto syscalls.Proto) *Syscall {
	c := &Syscall{Name: name, symbol: symbol, ABI: way}
	c.Proto = &btf.Func{Name: "sys_" + name, Return: t.TypeOf(proto.Result, "long"), Records: 1, Copies: 1}
	if way.Narrow {
		c.Proto.Name = syscalls.Compat + c.Proto.Name
	}
	source := *c.Proto
	c.Source = &source
	var lost error
	for i, p := range proto.Params {
		typ, content := userType(t, p.Type), p.Content
		if way.Narrow {
			wide := btf.Pointee(typ)
			var split bool
			if typ, split = narrowed(t, typ); split && lost == nil {
				lost = fmt.Errorf("a 32-bit program passes %s in two registers", p.Name)
			}
			if btf.IsVoid(btf.Pointee(typ)) && !btf.IsVoid(wide) {
				content = nil // its layout is another one
			}
		}
		if i == len(way.Regs) {
			lost = fmt.Errorf("a system call has %d registers", i)
		}
		c.Proto.Params = append(c.Proto.Params, btf.Param{Name: p.Name, Type: typ})
		if p.Declared != "" {
			if typ = userType(t, p.Declared); way.Narrow {
				typ, _ = narrowed(t, typ)
			}
			if strings.HasPrefix(p.Declared, "const ") {
				typ = toConst(typ)
			}
		}
		c.Source.Params = append(c.Source.Params, btf.Param{Name: p.Name, Type: typ})
		c.Own, c.Lost, c.Shown = append(c.Own, p.Own), append(c.Lost, lost), append(c.Shown, content)
	}
	return c
}

// StoresAddress reports whether the system call itself stores the socket address that its
// parameter i points to, so that there is none before it returns. The length follows it.
func (c *Syscall) StoresAddress(i int) bool {
	return c.Own[i] == "sockaddr" && btf.Pointee(c.Proto.Params[i+1].Type) != nil
}
