package fetchargs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// stackWords is how many words of the stack the kernel lets one ask for:
// THREAD_SIZE / 8 of x86-64 and arm64.
const stackWords = 2048

// builtin is what the kernel has a name of its own for.
func (r *resolver) builtin(x *spec.Builtin) (place, bool) {
	name := x.Text
	p := place{base: name}
	switch {
	case name[0] == '%':
		return p, r.isRegister(x)
	case name == "$stack":
		return p, true
	case name == "$comm":
		p.typ = r.charArray(16)
		return p, true
	case name == "$retval":
		if isVoid(r.fn.Return) {
			return r.result(&spec.Ident{Name: spec.Name{Text: name, Span: x.Span}})
		}
		p.ret = true
		return p, true
	}
	if n, ok := numbered(name, "$arg"); ok && n > 0 {
		p.base = r.argument(n)
		return p, r.isArgument(x, n)
	}
	if n, ok := numbered(name, "$stack"); ok {
		if n > stackWords {
			r.fail(x.Span, "$stack0 is its top, where functions are entered", "the stack has at most %d words", stackWords)
		}
		return p, n <= stackWords
	}
	r.fail(x.Span, "there are $comm, $argN, $stackN, $stack and $retval", "unknown variable %s", name)
	if o, ok := elsewhere(name); ok && o.fix != name {
		r.advise(o, x.Span)
	}
	return place{}, false
}

// numbered is the number behind a prefix.
func numbered(name, prefix string) (int, bool) {
	digits, ok := strings.CutPrefix(name, prefix)
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), ok && err == nil
}

// argument is the fetcharg of the word that the kernel calls $argN.
func (r *resolver) argument(n int) string {
	arch := r.target.Arch
	switch {
	case n <= len(arch.Regs):
		return r.register(n - 1)
	case !r.target.Features.ArgN:
		return fmt.Sprintf("$stack%d", arch.FirstStack+n-1-len(arch.Regs))
	}
	return fmt.Sprintf("$arg%d", n)
}

// isArgument says why there is no $argN: the kernel takes any number.
func (r *resolver) isArgument(x *spec.Builtin, n int) bool {
	arch := r.target.Arch
	switch {
	case r.argWords >= 0 && n > r.argWords && !r.fn.Variadic:
		r.fail(x.Span, "its prototype: "+r.fn.String(), "%s has no argument %d", r.fn.Name, n)
		return false
	case n > len(arch.Regs) && arch.FirstStack < 0, n > len(arch.Regs) && arch.BigByPointer:
		r.fail(x.Span, fmt.Sprintf("%s has $arg1 to $arg%d; what comes after them is on the stack: $stackN", arch.Name, len(arch.Regs)),
			"the kernel fetches no %s on %s", x.Text, arch.Name)
		return false
	case n > len(arch.Regs)+stackWords-arch.FirstStack:
		r.fail(x.Span, "", "the stack has at most %d words", stackWords)
		return false
	}
	return true
}

// isRegister says why there is no %REG.
func (r *resolver) isRegister(x *spec.Builtin) bool {
	arch, name := r.target.Arch, x.Text[1:]
	if slices.Contains(arch.Registers, name) {
		return true
	}
	hint := arch.Name + " has %" + strings.Join(arch.Registers, " %")
	if near := arch.NearRegisters(name); len(near) > 0 {
		hint = didYouMean(near, "")
	}
	r.fail(x.Span, hint, "%s has no register %s", arch.Name, x.Text)
	return false
}
