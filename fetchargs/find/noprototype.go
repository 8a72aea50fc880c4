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
	why := ""
	if r.awaited {
		e = spec.ErrorWith(at, missing, "", "the parameters of %s are not known until the module %s is loaded", name, r.Spec.Module.Text)
		if why = "load it first, or name files with its types by --btf; "; r.typesErr != nil {
			why = r.typesErr.Error() + "; " + why
		}
	} else {
		e = spec.ErrorWith(at, missing, "", "%s is in this kernel, but BTF has no prototype of it", name)
		if module != "" && !slices.Contains(r.Target.Kernel.Modules(), module) {
			why = fmt.Sprintf("the kernel has no BTF of the module %s, as before 5.11, but --btf can name files with it; ", module)
		}
	}
	switch {
	case at != r.Spec.Func.Span:
		e.Mend(at, why+"an argument by its place, with a cast: ", "((struct TYPE *)$arg1)")
	case why != "":
		e.Mend(at, why+"its calls can be seen: ", name+"()")
	default:
		e.Hint = "a probe needs a function; types are missing for assembly, for data and on kernels built without them"
	}
	return e
}

// moduleSymbol returns the name of a module as the kernel's symbol table writes it.
func moduleSymbol(name string) string { return strings.ReplaceAll(name, "-", "_") }
