package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A syscall is a system call of a kernel, by programs of one kind. What it is given
// is where the registers were that the program called it with.
type syscall struct {
	name   string // as the kernel has it, without "sys_": "openat"
	symbol string // the function that is called: "__x64_sys_openat"
	abi    *abi.Syscalls
	fn     *btf.Func // what it is to the program
	narrow bool      // 32-bit programs call another function
	own    []string  // of each parameter, the constants that it holds or its FORMAT
	lost   []error   // of each parameter, why it is not known where it is
}

// syscallModule may stand before the name of a system call, where a module does.
const syscallModule = "syscall"

// namedSyscalls are the system calls that a spec is about: that of the machine's own
// programs, and that of 32-bit programs where it is a function of its own. There are
// none if the kernel has a function of the spec's name, or no such system call.
func (t *Target) namedSyscalls(s *spec.Spec) []*syscall {
	if s.Module.Text != "" && s.Module.Text != syscallModule {
		return nil
	}
	name, narrow := strings.CutPrefix(s.Func.Text, compat+"sys_")
	name = strings.TrimPrefix(name, "sys_")
	calls := t.syscalls(syscallAliases[name])
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

// plainSyscall is the function of a system call that takes its arguments as any other
// does, as before 4.17, "" if there is none or the spec is not about one.
func (t *Target) plainSyscall(s *spec.Spec) string {
	short := strings.TrimPrefix(s.Func.Text, "sys_")
	_, known := t.syscallProto(short)
	if !known || s.Module.Text != syscallModule && (s.Module.Text != "" || t.Kernel.HasFunc(s.Func.Text)) {
		return ""
	}
	for _, prefix := range []string{"sys_", "SyS_"} {
		if t.Kernel.HasFunc(prefix + short) {
			return prefix + short
		}
	}
	return ""
}

// matchingSyscalls are the system calls that a glob stands for, which begins with
// "sys_" or is one of the module syscall. Those by 32-bit programs, as many again, are
// for globs that begin with "compat_sys_".
func (t *Target) matchingSyscalls(s *spec.Spec) []*syscall {
	of := s.Module.Text == syscallModule
	glob, narrow := strings.CutPrefix(s.Func.Text, compat+"sys_")
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

// noSyscall explains a name that the kernel has no system call of.
func (t *Target) noSyscall(s *spec.Spec) *spec.Error {
	e := &spec.Error{Text: s.Text, Span: s.Func.Span, Msg: fmt.Sprintf("there is no system call %s in this kernel", s.Func.Text)}
	if spec.IsGlob(s.Func.Text) {
		e.Msg = fmt.Sprintf("no system call of this kernel matches %s", s.Func.Text)
	}
	e.Hint = didYouMean(btf.Near(strings.TrimPrefix(s.Func.Text, "sys_"), slices.Values(t.syscallNames())), "")
	return e
}

// syscallJobs are the plans to make for one system call.
func syscallJobs(s *spec.Spec, g *Glob, calls ...*syscall) []job {
	var jobs []job
	for _, c := range calls {
		jobs = append(jobs, job{spec: specOfSyscall(s, c.fn.Name), named: s.Func.Text, glob: g, call: c})
	}
	return jobs
}

// specOfSyscall is s for a system call that it stands for.
func specOfSyscall(s *spec.Spec, name string) *spec.Spec {
	one := *s
	one.Func.Text, one.Module = name, spec.Name{}
	return &one
}

// compat stands before the name of a system call as 32-bit programs do it.
const compat = "compat_"

// syscallName takes the name of a plan's function apart: "compat_sys_openat" is
// "sys_openat" and "openat". Both are "" if it is that of no system call.
func syscallName(fn string) (name, short string) {
	name = strings.TrimPrefix(fn, compat)
	if short, ok := strings.CutPrefix(name, "sys_"); ok {
		return name, short
	}
	return "", ""
}

// IsSyscall reports whether the plan is about a system call by its name, which is not that
// of the function.
func (p *Plan) IsSyscall() bool {
	name, _ := syscallName(p.Func.Name)
	return name != "" && len(p.Probes) > 0 && p.Probes[0].Symbols[0] != p.Func.Name
}

// traceable reports whether the function can be probed. Where several have one
// address, the kernel tells of one.
func (c *syscall) traceable(known func(module, name string) bool) bool {
	return known("", c.symbol) || len(c.fn.Params) == 0 && (known("", "__do_sys_"+c.name) || known("", "__ia32_sys_"+c.name))
}

// syscall finds the function of a system call.
func (r *resolver) syscall() bool {
	r.fn = r.call.fn
	if !r.target.Live {
		return true
	}
	if !r.askSymbols() {
		return false
	}
	if r.known && len(r.facts.Offsets) == 0 {
		r.fail(r.spec.Func.Span, "", "this kernel has been built without the system call %s: there is no %s", r.call.name, r.call.symbol)
		return false
	}
	return true
}

// syscalls are the functions of a system call of that name, none if there is none.
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
		symbol := t.syscallSymbol(name, way.Prefixes, len(proto.params) == 0)
		if symbol == "" {
			return nil
		}
		calls = append(calls, t.newSyscall(name, symbol, way, proto))
	}
	calls[0].narrow = len(calls) > 1
	return calls
}

// syscallSymbol is the function that programs of one kind come to. Without parameters
// it is the same for all, and BTF has it under the name of its definition.
func (t *Target) syscallSymbol(name string, prefixes []string, none bool) string {
	known := t.entryPoints()
	for _, prefix := range prefixes {
		if known[prefix+name] || none && known["__do_sys_"+name] {
			return prefix + name
		}
	}
	return ""
}

// entryPoints are the functions of this kernel that may be a system call's, found at
// once: to look for each of some hundred takes long.
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

// listedPoints adds those that only the symbol table knows: BTF may lack the functions
// of a few (perf_event_open, of 5.10).
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

func (t *Target) newSyscall(name, symbol string, way *abi.Syscalls, proto syscallProto) *syscall {
	c := &syscall{name: name, symbol: symbol, abi: way}
	c.fn = &btf.Func{Name: "sys_" + name, Return: t.typeOf(proto.result, "long"), Records: 1, Copies: 1}
	if way.Narrow {
		c.fn.Name = compat + c.fn.Name
	}
	var lost error
	for i, p := range proto.params {
		typ := t.userType(p.Type)
		if way.Narrow {
			var split bool
			if typ, split = t.narrow(typ); split && lost == nil {
				lost = fmt.Errorf("a 32-bit program passes %s in two registers", p.Name)
			}
		}
		if i == len(way.Regs) {
			lost = fmt.Errorf("a system call has %d registers", i)
		}
		c.fn.Params = append(c.fn.Params, btf.Param{Name: p.Name, Type: typ})
		c.own, c.lost = append(c.own, p.own), append(c.lost, lost)
	}
	return c
}

// typeOf is a C type, or another one if this kernel's BTF does not have it.
func (t *Target) typeOf(name, otherwise string) btf.Type {
	typ, err := t.Kernel.Type(name)
	if err != nil {
		typ, _ = t.Kernel.Type(otherwise)
	}
	return typ
}

// userType is the type of a parameter, whose pointers point into user memory.
func (t *Target) userType(name string) btf.Type {
	otherwise := "unsigned long"
	if strings.HasSuffix(name, "*") {
		otherwise = "void *"
	}
	return toUser(t.typeOf(name, otherwise))
}

// toUser makes a pointer one into user memory, and those that it points to.
func toUser(t btf.Type) btf.Type {
	p, ok := btf.Strip(t).(*btf.Pointer)
	if !ok || btf.IsUser(t) {
		return t
	}
	return &btf.Pointer{Target: &btf.TypeTag{Type: toUser(p.Target), Value: "user"}}
}

// narrow is the type that a 32-bit program has in the place of t: split if it takes
// two registers. What its pointers point to is not known where it is not the same.
func (t *Target) narrow(typ btf.Type) (narrow btf.Type, split bool) {
	switch s := btf.Strip(typ).(type) {
	case *btf.Int:
		switch {
		case s.Size < 8:
			return typ, false
		case !strings.HasPrefix(s.Name, "long long"):
			if btf.Signed(s) {
				return t.typeOf("int", "int"), false
			}
			return t.typeOf("unsigned int", "unsigned int"), false
		}
		return typ, true
	case *btf.Pointer:
		if varies(s.Target, 0) {
			return toUser(&btf.Pointer{Target: (*btf.Void)(nil)}), false
		}
	}
	return typ, false
}

// varies reports whether a 32-bit program may have another layout of t: a long or a
// pointer is in it, or what it wants to be aligned by.
func varies(t btf.Type, depth int) bool {
	if depth > 16 {
		return true
	}
	of := func(m btf.MemberOf) bool { return varies(m.Type, depth+1) }
	switch t := btf.Strip(t).(type) {
	case *btf.Void:
		return false
	case *btf.Int:
		return t.Size > 4
	case *btf.Enum:
		return t.Size > 4
	case *btf.Array:
		return varies(t.Type, depth+1)
	case *btf.Struct:
		return slices.ContainsFunc(t.Members, of)
	case *btf.Union:
		return slices.ContainsFunc(t.Members, of)
	}
	return true
}

// locate finds the routes to the arguments. They lie in the registers that the
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
		if r.macros().Set(c.own[i]) != nil {
			routes[i].set = c.own[i]
		}
	}
	return routes, errs
}

// decoded is what is shown of a parameter that has a FORMAT of its own: of a pointer
// to a socket's address, that.
func (r *resolver) decoded(w want) want {
	id, ok := w.x.(*spec.Ident)
	if r.call == nil || !ok || w.format.Text != "" {
		return w
	}
	for i, p := range r.call.fn.Params {
		if own := r.call.own[i]; p.Name == id.Text && own != "" && r.macros().Set(own) == nil {
			w.format = spec.Name{Text: r.call.own[i], Span: id.Span}
		}
	}
	return w
}

// registerOffset is where struct pt_regs has a register, in bytes: "r10", "regs[3]".
func registerOffset(regs btf.Type, name string) (int64, error) {
	name, index, _ := strings.Cut(strings.TrimSuffix(name, "]"), "[")
	m, err := btf.Member(regs, name)
	n, _ := numbered(index, "")
	return int64(m.Offset) + int64(8*n), err
}
