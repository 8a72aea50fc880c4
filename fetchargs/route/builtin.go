package route

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/dynevent"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// stackWords is how many words of the stack the kernel can fetch: THREAD_SIZE / 8
// on x86-64 and arm64.
const stackWords = 2048

// builtin returns the route to a name that the kernel defines itself.
func (r *Walker) builtin(x *spec.Builtin) (Route, bool) {
	name := x.Text
	base, known := dynevent.BaseNamed(name)
	p := Route{Base: base}
	switch {
	case name[0] == '%':
		return p, r.isRegister(x)
	case !known:
	case base.Kind == dynevent.StackPointer:
		return p, true
	case base.Kind == dynevent.Comm:
		p.Type = r.CharArray(16)
		return p, true
	case base.Kind == dynevent.Current:
		return r.current(x, p)
	case base.Kind == dynevent.Retval:
		if !r.fn.Source.Returns() || !r.fn.Proto.Untyped && btf.IsVoid(r.fn.Proto.Return) {
			return r.result(&spec.Ident{Name: spec.Name{Text: name, Span: x.Span}})
		}
		p.Return, p.Name = true, "return"
		return p, true
	case base.Kind == dynevent.ArgN:
		p.Base = r.argument(int(base.N))
		return p, r.isArgument(x, int(base.N))
	case base.Kind == dynevent.StackN:
		if base.N > stackWords {
			r.fn.Fail(x.Span, "$stack0 is its top, where functions are entered", "the stack has at most %d words", stackWords)
		}
		return p, base.N <= stackWords
	}
	there := "there are $comm, $argN, $stackN, $stack and $retval"
	if r.fn.Target.HasCurrent() {
		there = "there are $comm, $current, $argN, $stackN, $stack and $retval"
	}
	r.fn.Fail(x.Span, there, "unknown variable %s", name)
	if o, ok := elsewhere(name); ok && o.fix != name {
		r.advise(o, x.Span)
	}
	return Route{}, false
}

// current returns the route to the running task, a pointer to struct task_struct.
func (r *Walker) current(x *spec.Builtin, p Route) (Route, bool) {
	switch {
	case r.fn.Target.Features.Current:
	case r.fn.Target.CPUs != nil:
		return r.currentOfCPU(x)
	default:
		r.fn.Fail(x.Span, "take it from what a parameter points to; the task's name is $comm",
			"this kernel cannot fetch $current, which came with 7.3")
		return p, false
	}
	t, ok := r.TypeNamed(spec.Name{Text: "struct task_struct", Span: x.Span})
	p.Type = &btf.Pointer{Target: btf.OrVoid(t)}
	return p, ok
}

// argument returns the base of the word that the kernel calls $argN.
func (r *Walker) argument(n int) dynevent.Base {
	arch := r.fn.Target.Arch
	switch {
	case n <= len(arch.Regs):
		return r.register(n - 1)
	case !r.fn.Target.Features.ArgN || r.fn.Absent:
		return dynevent.Base{Kind: dynevent.StackN, N: int64(arch.FirstStack + n - 1 - len(arch.Regs))}
	}
	return dynevent.Base{Kind: dynevent.ArgN, N: int64(n)}
}

// isArgument reports whether $argN exists; the kernel itself would accept any number. If
// not, it adds an error.
func (r *Walker) isArgument(x *spec.Builtin, n int) bool {
	arch := r.fn.Target.Arch
	switch {
	case r.argWords >= 0 && n > r.argWords && !r.fn.Proto.Variadic && !r.fn.Proto.Untyped:
		r.fn.Fail(x.Span, "its prototype: "+r.fn.Proto.String(), "%s has no argument %d", r.fn.Proto.Name, n)
		return false
	case n > len(arch.Regs) && arch.FirstStack < 0, n > len(arch.Regs) && arch.BigByPointer:
		r.fn.Fail(x.Span, fmt.Sprintf("%s has $arg1 to $arg%d; what comes after them is on the stack: $stackN", arch.Name, len(arch.Regs)),
			"the kernel fetches no %s on %s", x.Text, arch.Name)
		return false
	case n > len(arch.Regs)+stackWords-arch.FirstStack:
		r.fn.Fail(x.Span, "", "the stack has at most %d words", stackWords)
		return false
	}
	return true
}

// isRegister reports whether the register exists. If not, it adds an error.
func (r *Walker) isRegister(x *spec.Builtin) bool {
	arch, name := r.fn.Target.Arch, x.Text[1:]
	if slices.Contains(arch.Registers, name) {
		return true
	}
	hint := arch.Name + " has %" + strings.Join(arch.Registers, " %")
	if near := arch.NearRegisters(name); len(near) > 0 {
		hint = spec.DidYouMean(near, "")
	}
	r.fn.Fail(x.Span, hint, "%s has no register %s", arch.Name, x.Text)
	return false
}
