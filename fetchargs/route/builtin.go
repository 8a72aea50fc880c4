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
func (r *Walker) builtin(x *spec.Builtin) (Route, *spec.Error) {
	name := x.Text
	base, known := dynevent.BaseNamed(name)
	p := Route{Base: base}
	switch {
	case known && r.fn.Event != nil && base.Kind != dynevent.Comm && base.Kind != dynevent.Retval:
		return r.builtinOfEvent(x, p)
	case name[0] == '%':
		return p, r.isRegister(x)
	case !known:
	case base.Kind == dynevent.StackPointer:
		return p, nil
	case base.Kind == dynevent.Comm:
		p.Type = r.CharArray(16)
		return p, nil
	case base.Kind == dynevent.Current:
		return r.current(x, p)
	case base.Kind == dynevent.Retval:
		if !r.fn.Source.Returns() || !r.fn.Proto.Untyped && btf.IsVoid(r.fn.Proto.Return) {
			return r.result(&spec.Ident{Name: spec.Name{Text: name, Span: x.Span}})
		}
		p.Return, p.Name = true, "return"
		return p, nil
	case base.Kind == dynevent.ArgN:
		p.Base = r.argument(int(base.N))
		return p, r.isArgument(x, int(base.N))
	case base.Kind == dynevent.StackN:
		if base.N > stackWords {
			return p, spec.Errorf(x.Span, fmt.Sprintf("write $stack0, the top, to $stack%d", stackWords), "the stack has at most %d words", stackWords)
		}
		return p, nil
	}
	return Route{}, r.noBuiltin(x)
}

// noBuiltin returns the error that the kernel defines no such name.
func (r *Walker) noBuiltin(x *spec.Builtin) *spec.Error {
	known := "use $comm, $argN, $stackN, $stack or $retval"
	switch {
	case r.fn.Event != nil:
		known = builtinsOfEvents
	case r.fn.Target.HasCurrent():
		known = "use $comm, $current, $argN, $stackN, $stack or $retval"
	}
	err := spec.Errorf(x.Span, known, "unknown variable %s", x.Text)
	if o, ok := elsewhere(x.Text); ok && o.fix != x.Text {
		o.advise(err)
	}
	return err
}

// current returns the route to the running task, a pointer to struct task_struct.
func (r *Walker) current(x *spec.Builtin, p Route) (Route, *spec.Error) {
	switch {
	case r.fn.Target.Features.Current:
	case r.fn.Target.CPUs != nil:
		return r.currentOfCPU(x)
	default:
		return p, spec.Errorf(x.Span, "take it from what a parameter points to, or use $comm for the task's name",
			"lines for a kernel before 7.3 cannot fetch $current: its address is known only in a live trace")
	}
	t, err := r.TypeNamed(spec.Name{Text: "struct task_struct", Span: x.Span})
	p.Type = &btf.Pointer{Target: btf.OrVoid(t)}
	return p, err
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

// isArgument returns an error unless $argN exists; the kernel itself would accept any number.
func (r *Walker) isArgument(x *spec.Builtin, n int) *spec.Error {
	arch := r.fn.Target.Arch
	switch {
	case r.argWords >= 0 && n > r.argWords && !r.fn.Proto.Variadic && !r.fn.Proto.Untyped:
		return spec.Errorf(x.Span, "choose from its prototype: "+r.fn.Proto.String(), "%s has no argument %d", r.fn.Proto.Name, n)
	case n > len(arch.Regs) && arch.FirstStack < 0, n > len(arch.Regs) && arch.BigByPointer:
		return spec.Errorf(x.Span, fmt.Sprintf("use $arg1 to $arg%d, or $stackN for arguments on the stack", len(arch.Regs)),
			"the kernel fetches no %s on %s", x.Text, arch.Name)
	case n > len(arch.Regs)+stackWords-arch.FirstStack:
		return spec.Errorf(x.Span, "", "the stack has at most %d words", stackWords)
	}
	return nil
}

// isRegister returns an error unless the register exists.
func (r *Walker) isRegister(x *spec.Builtin) *spec.Error {
	arch, name := r.fn.Target.Arch, x.Text[1:]
	if slices.Contains(arch.Registers, name) {
		return nil
	}
	hint := "use one of %" + strings.Join(arch.Registers, " %")
	if suggestions := arch.SuggestRegisters(name); len(suggestions) > 0 {
		hint = spec.DidYouMean(suggestions, "")
	}
	return spec.Errorf(x.Span, hint, "%s has no register %s", arch.Name, x.Text)
}
