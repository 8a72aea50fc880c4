package fetchargs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
)

// A syscall is a system call of a kernel, as programs of one kind call it. Its arguments
// are in the saved registers of the caller.
type syscall struct {
	name   string // the kernel's name without "sys_": "openat"
	symbol string // the function in the kernel: "__x64_sys_openat"
	abi    *abi.Syscalls
	fn     *btf.Func           // the prototype that programs see
	narrow bool                // 32-bit programs call another function
	source *btf.Func           // the prototype of the kernel's source, for people
	own    []string            // for each parameter, its set of constants or its FORMAT
	lost   []error             // for each parameter, why its place is not known
	shown  []*syscalls.Content // for each parameter, what is shown of the memory that it points to
}

// namedSyscalls returns the system calls that a spec names: that of the machine's own
// programs, and that of 32-bit programs if it is a function of its own. It returns none
// if the kernel has a function of that name, or no such system call.
func (t *Target) namedSyscalls(s *spec.Spec) []*syscall {
	if s.Module.Text != "" && s.Module.Text != syscalls.Module {
		return nil
	}
	name, narrow := strings.CutPrefix(s.Func.Text, syscalls.Compat+"sys_")
	name = strings.TrimPrefix(name, "sys_")
	calls := t.syscalls(syscalls.Alias(name))
	if calls == nil {
		calls = t.syscalls(name)
	}
	if narrow && len(calls) > 0 {
		calls = calls[1:]
		if own := slices.IndexFunc(calls, func(c *syscall) bool { return c.name == name }); own >= 0 {
			calls = calls[own : own+1]
		}
	} else if narrow {
		calls = t.onlyNarrow(name)
	}
	if len(calls) > 0 && s.Module.Text == "" && t.Kernel.HasFunc(s.Func.Text) {
		return nil
	}
	return calls
}

// plainSyscall returns the function of a system call that takes its arguments like any
// other function, as before 4.17. It returns "" if there is none.
func (t *Target) plainSyscall(s *spec.Spec) string {
	short := strings.TrimPrefix(s.Func.Text, "sys_")
	_, known := t.syscallProto(short)
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
func (t *Target) matchingSyscalls(s *spec.Spec) []*syscall {
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
	var all []*syscall
	for _, name := range t.syscallNames() {
		if !match("sys_"+name) && !(of && match(name)) {
			continue
		}
		for _, c := range t.syscalls(name) {
			if c.abi.Narrow == narrow && !(narrow && c.name != name) {
				all = append(all, c)
			}
		}
	}
	if narrow {
		for _, c := range t.allNarrow() {
			if match("sys_" + c.name) {
				all = append(all, c)
			}
		}
	}
	return all
}

// noSyscall returns the error for a name that is not a system call of the kernel.
func (t *Target) noSyscall(s *spec.Spec) *spec.Error {
	e := &spec.Error{Text: s.Text, Span: s.Func.Span, Msg: fmt.Sprintf("there is no system call %s in this kernel", s.Func.Text)}
	if spec.IsGlob(s.Func.Text) {
		e.Msg = fmt.Sprintf("no system call of this kernel matches %s", s.Func.Text)
	}
	e.Hint = spec.DidYouMean(btf.Near(strings.TrimPrefix(s.Func.Text, "sys_"), slices.Values(t.syscallNames())), "")
	return e
}

// syscallJobs returns a job for each system call.
func syscallJobs(s *spec.Spec, g *Glob, calls ...*syscall) []job {
	var jobs []job
	for _, c := range calls {
		jobs = append(jobs, job{spec: s.ForSyscall(c.fn.Name), entryPoint: c.symbol, glob: g, named: s.Func.Text, call: c})
	}
	return jobs
}

// traceable reports whether the function can be probed. If several functions share an
// address, the kernel lists only one of them.
func (c *syscall) traceable(known func(module, name string) bool) bool {
	return known("", c.symbol) || len(c.fn.Params) == 0 && (known("", "__do_sys_"+c.name) || known("", "__ia32_sys_"+c.name))
}

// syscall looks up the function of a system call.
func (r *resolver) syscall() bool {
	r.fn = r.call.fn
	if !r.target.Live {
		return true
	}
	if !r.askSymbols() {
		return false
	}
	if r.known && len(r.facts.Offsets) == 0 {
		r.Fail(r.spec.Func.Span, "", "this kernel has been built without the system call %s: there is no %s", r.call.name, r.call.symbol)
		return false
	}
	return true
}

// syscalls returns the functions of the system call name, none if there is no such call.
func (t *Target) syscalls(name string) []*syscall {
	proto, ok := t.syscallProto(name)
	if !ok {
		return nil
	}
	var calls []*syscall
	for i := range t.Arch.Syscalls {
		way := &t.Arch.Syscalls[i]
		if way.Narrow {
			calls = append(calls, t.syscalls32(name, proto, i)...)
			continue
		}
		symbol := t.syscallSymbol(name, way.Prefixes, len(proto.Params) == 0)
		if symbol == "" {
			return nil
		}
		calls = append(calls, t.newSyscall(name, symbol, way, proto))
	}
	calls[0].narrow = len(calls) > 1
	return calls
}

// syscallSymbol returns the function that programs of one kind call. A system call
// without parameters has one function for all programs, and BTF has it under the name of
// its definition.
func (t *Target) syscallSymbol(name string, prefixes []string, none bool) string {
	known := t.entryPoints()
	for _, prefix := range prefixes {
		if known[prefix+name] || none && known["__do_sys_"+name] {
			return prefix + name
		}
	}
	return ""
}

// entryPoints returns the functions of this kernel that may implement system calls. It
// finds them all at once, because looking up some hundred one by one takes long.
func (t *Target) entryPoints() map[string]bool {
	if t.points == nil {
		t.points = map[string]bool{}
		names, _ := t.Kernel.FuncNames("vmlinux", "__*sys_*")
		for _, f := range names {
			t.points[f.Name] = true
		}
		t.listedPoints()
	}
	return t.points
}

// listedPoints adds functions that are only in the symbol table: BTF may lack a few
// (perf_event_open on 5.10).
func (t *Target) listedPoints() {
	if t.SyscallNames == nil || t.Symbols == nil {
		return
	}
	var symbols []string
	prefixes := t.Arch.Syscalls[0].Prefixes
	for _, name := range t.SyscallNames() {
		if !t.points["__do_sys_"+name] && !slices.ContainsFunc(prefixes, func(prefix string) bool { return t.points[prefix+name] }) {
			for _, way := range t.Arch.Syscalls {
				for _, prefix := range way.Prefixes {
					symbols = append(symbols, prefix+name)
				}
			}
		}
	}
	if len(symbols) == 0 {
		return
	}
	slices.Sort(symbols)
	facts, _ := t.Symbols(symbols, false)
	for _, symbol := range symbols {
		if len(facts[symbol].Offsets) > 0 {
			t.points[symbol] = true
		}
	}
}

func (t *Target) newSyscall(name, symbol string, way *abi.Syscalls, proto syscalls.Proto) *syscall {
	c := &syscall{name: name, symbol: symbol, abi: way}
	c.fn = &btf.Func{Name: "sys_" + name, Return: t.typeOf(proto.Result, "long"), Records: 1, Copies: 1}
	if way.Narrow {
		c.fn.Name = syscalls.Compat + c.fn.Name
	}
	source := *c.fn
	c.source = &source
	var lost error
	for i, p := range proto.Params {
		typ, content := t.userType(p.Type), p.Content
		if way.Narrow {
			wide := btf.Pointee(typ)
			var split bool
			if typ, split = t.narrow(typ); split && lost == nil {
				lost = fmt.Errorf("a 32-bit program passes %s in two registers", p.Name)
			}
			if btf.IsVoid(btf.Pointee(typ)) && !btf.IsVoid(wide) {
				content = nil // its layout is another one
			}
		}
		if i == len(way.Regs) {
			lost = fmt.Errorf("a system call has %d registers", i)
		}
		c.fn.Params = append(c.fn.Params, btf.Param{Name: p.Name, Type: typ})
		if p.Declared != "" {
			if typ = t.userType(p.Declared); way.Narrow {
				typ, _ = t.narrow(typ)
			}
			if strings.HasPrefix(p.Declared, "const ") {
				typ = toConst(typ)
			}
		}
		c.source.Params = append(c.source.Params, btf.Param{Name: p.Name, Type: typ})
		c.own, c.lost, c.shown = append(c.own, p.Own), append(c.lost, lost), append(c.shown, content)
	}
	return c
}

// locate returns the routes to the arguments. They are in the saved registers that the
// only parameter of the function points to.
func (c *syscall) locate(r *resolver) ([]route, []error) {
	r.argWords = 1
	routes := make([]route, len(c.fn.Params))
	errs := slices.Clone(c.lost)
	regs, err := r.target.Kernel.Type("struct pt_regs")
	for i, p := range c.fn.Params {
		if errs[i] != nil {
			continue
		}
		if err != nil {
			errs[i] = err
			continue
		}
		off, err := registerOffset(regs, c.abi.Regs[i])
		routes[i], errs[i] = route{typ: p.Type, base: r.register(0), mem: true, off: off, labels: []label{{}}}, err
		if r.Macros().Set(c.own[i]) != nil {
			routes[i].set = c.own[i]
		}
	}
	return routes, errs
}

// registerOffset returns the offset in bytes of a register in struct pt_regs: "r10",
// "regs[3]".
func registerOffset(regs btf.Type, name string) (int64, error) {
	name, index, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	m, err := btf.Member(regs, name)
	n, _ := strconv.Atoi(index)
	return int64(m.Offset) + int64(8*n), err
}
