package find

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// withoutPrototype returns a function that is in the symbol table but not in BTF:
// it is written in assembly, its module has no BTF, or it is a clone of a function that
// is not in BTF either. Its calls can be traced, and
// so can values that the spec takes from registers and gives a type. It returns nil
// if there is no such function, or if the spec needs the prototype.
func (r *Function) withoutPrototype() *btf.Func {
	name, module := r.Spec.Func.Text, moduleSymbol(r.Spec.Module.Text)
	if !r.Spec.Parens {
		return nil
	}
	fn := &btf.Func{Name: name, Module: module, Copies: 1, Untyped: true}
	others := slices.DeleteFunc(slices.Clone(r.facts.Modules), func(m string) bool { return m == module })
	switch {
	case r.awaited && r.typesErr != nil:
	case module != "" && len(others) < len(r.facts.Modules):
	case module != "":
		return nil
	case len(r.facts.Offsets) > 0:
	case len(r.facts.Modules) > 0:
		fn.Module = others[0]
	default:
		return nil
	}
	return fn
}

// NoPrototype returns the error that only the name of a function is known. The hint
// says what works anyway.
func (r *Function) NoPrototype(at spec.Span, missing error) (e *spec.Error) {
	name, module := r.Spec.Func.Text, moduleSymbol(r.Spec.Module.Text)
	if module == "" && len(r.facts.Offsets) == 0 && len(r.facts.Modules) > 0 {
		module = r.facts.Modules[0]
	}
	others := ""
	if r.awaited {
		e = spec.ErrorWith(at, missing, "", "the parameters of %s are not known until the module %s is loaded", name, r.Spec.Module.Text)
		if r.typesErr != nil {
			e.Msg += ": " + r.typesErr.Error()
		}
		others = "load it first, give its types with --btf FILE, or "
	} else {
		e = spec.ErrorWith(at, missing, "", "%s is in this kernel, but BTF has no prototype of it", name)
		if module != "" && !slices.Contains(r.Target.Kernel.Modules(), module) {
			others = fmt.Sprintf("give BTF of the module %s with --btf FILE, or ", module)
		}
	}
	if at == r.Spec.Func.Span {
		e.Mend(at, others+"trace its calls only: ", name+"()")
	} else {
		e.Mend(at, others+"cast an argument by its place: ", "((struct TYPE *)$arg1)")
	}
	return e
}

// moduleSymbol returns the name of a module as the kernel's symbol table writes it.
func moduleSymbol(name string) string { return strings.ReplaceAll(name, "-", "_") }
