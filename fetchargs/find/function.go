package find

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// function looks up the prototype, or says why there is nothing to probe.
func (r *Function) function() error {
	name := r.Spec.Func
	base, suffix, clone := strings.Cut(name.Text, ".")
	fn, err := r.prototype(base)
	if isPiece(name.Text) && (err == nil || len(r.facts.Offsets) > 0) {
		hint := "probe " + base
		if err != nil || fn.Untyped {
			hint = "trace a function that calls " + base
		}
		return spec.Errorf(name.Span, hint, "%s is a piece of %s and has no parameters of its own", name.Text, base)
	}
	if err != nil {
		return err
	}
	if clone && !r.Target.Live && !isSuffix(suffix) {
		return spec.ErrorFix(name.Span, spec.Fix{Span: name.Span, Text: base + "(" + suffix + ")"}, "put values in parentheses: ",
			"no compiler makes a function of the name %s", name.Text)
	}
	r.Proto = fn
	r.Absent = fn.Module != "" && r.Target.Lacks(fn.Module)
	if r.Target.Live || fn.Records > 1 {
		r.lookUp()
	}
	switch {
	case !r.known || fn.Module != "" || len(r.facts.Offsets) > 0:
		return nil
	case clone:
		return spec.ErrorFix(name.Span, spec.Fix{Span: name.Span, Text: base}, "leave out the compiler's suffix: ", "there is no %s in this kernel", name.Text)
	}
	return r.noSymbol()
}

// suffixes begin what compilers add to names of functions that they change.
var suffixes = []string{"isra", "constprop", "part", "cold", "lto_priv", "localalias", "llvm", "__uniq", "cfi", "specialized"}

// isSuffix reports whether a compiler makes names that end so, without the first dot.
func isSuffix(text string) bool {
	for _, word := range suffixes {
		if strings.HasPrefix(text, word) {
			return true
		}
	}
	return text != "" && spec.IsDigit(text[0])
}

// isPiece reports whether name is that of a piece of a function. Its calls are not those of
// the function: to ".part" go only those that the beginning, inlined in the callers, does not
// end, and ".cold" is jumped to.
func isPiece(name string) bool {
	words := strings.Split(name, ".")[1:]
	return slices.Contains(words, "part") || slices.Contains(words, "cold")
}

// wholeClone returns a clone that is not a piece, "" if there is none.
func (r *Function) wholeClone() string {
	for _, clone := range r.facts.Clones {
		if !isPiece(clone) {
			return clone
		}
	}
	return ""
}

// prototype returns the prototype of the function, which is called name without the
// compiler's suffix.
func (r *Function) prototype(name string) (*btf.Func, error) {
	fn, err := r.Target.Kernel.Func(r.Spec.Module.Text, name)
	var missing *btf.NotFoundError
	if errors.As(err, &missing) && missing.What == "module" {
		if own := builtIn(r.Target, r.Spec.Module.Text, name); own != nil {
			return own, nil
		}
	}
	switch {
	case err == nil:
		return fn, nil
	case errors.As(err, &missing):
	case errors.Is(err, btf.ErrNoBTF):
		return nil, err
	default:
		return nil, fmt.Errorf("reading BTF: %w", err)
	}
	r.awaited, r.typesErr = r.Target.Waits(r.Spec.Module.Text)
	r.lookUp()
	if fn = r.withoutPrototype(); fn == nil {
		return nil, r.noFunction(missing)
	}
	return fn, nil
}

// noFunction returns the error for a name that is not in BTF.
func (r *Function) noFunction(missing *btf.NotFoundError) *spec.Error {
	name, module := r.Spec.Func, r.Spec.Module
	known := r.notFunction(missing)
	events := systemEvents(r.Target, module.Text)
	switch {
	case r.awaited && missing.What == "module":
		return r.NoPrototype(name.Span, missing)
	case len(events) > 0 && len(r.Target.Existing(name.Text)) == 0 && !slices.Contains(r.facts.Modules, moduleSymbol(module.Text)):
		suggestions := append(btf.Suggest(name.Text, slices.Values(events)), missing.Suggestions...)
		return spec.ErrorWith(name.Span, missing, spec.DidYouMean(suggestions, fmt.Sprintf("list what there is: tsnoop list '%s:*'", module.Text)),
			"%s has no event and no function %s", module.Text, name.Text)
	case missing.What == "module" && !slices.Contains(r.facts.Modules, moduleSymbol(module.Text)):
		return noModule(r.Target, r.Spec, missing)
	case len(r.facts.Offsets) > 0 || len(r.facts.Modules) > 0:
		return r.NoPrototype(name.Span, missing)
	case module.Text == "" && known != nil:
		return known
	case len(r.facts.Clones) > 0:
		err := spec.ErrorWith(name.Span, missing, "trace a function that calls it",
			"%s exists only as a clone that the compiler changed, without a prototype: %s", name.Text, strings.Join(r.facts.Clones, ", "))
		if clone := r.wholeClone(); clone != "" {
			err.Mend(r.Spec.Span, "trace its calls only: ", clone+"()")
		}
		return err
	case module.Text != "" && len(r.Target.Existing(name.Text)) > 0:
		err := spec.ErrorWith(name.Span, missing, "", "%s is a function of the kernel, not of the module %s", name.Text, module.Text)
		err.Mend(r.Spec.Span, "write ", withoutModule(r.Target, r.Spec, false))
		return err
	}
	return r.noName(missing)
}

// noName returns the error for a name that nothing is known of, with names that are like it.
func (r *Function) noName(missing *btf.NotFoundError) *spec.Error {
	name, hint := r.Spec.Func, ""
	if short, ok := strings.CutPrefix(name.Text, "sys_"); ok {
		var calls []string
		for _, near := range btf.Suggest(short, slices.Values(r.Target.CallNames())) {
			calls = append(calls, "sys_"+near)
		}
		missing = &btf.NotFoundError{What: missing.What, Name: missing.Name, In: missing.In, Suggestions: append(calls, missing.Suggestions...)}
	}
	if len(missing.Suggestions) == 0 && r.Target.ModuleFuncs != nil {
		missing.Suggestions = btf.SuggestFuncs(name.Text, slices.Values(r.Target.ModuleFuncs()))
	}
	if len(missing.Suggestions) == 0 {
		hint = "trace a function that calls it if it is a macro or inlined; load its module if it has one: modprobe MODULE"
		if r.Target.Awaited != nil && r.Spec.Module.Text == "" {
			hint = "name the module to wait for: --wait-module MODULE:" + name.Text
		}
	}
	return spec.ErrorWith(name.Span, missing, spec.DidYouMean(missing.Suggestions, hint), "there is no function %s in this kernel", name.Text)
}

// noSymbol returns the error for a function that is in BTF but not in the symbol table.
func (r *Function) noSymbol() *spec.Error {
	name := r.Spec.Func
	if known := insteadOf(r.Target, name.Text); len(known) > 0 {
		return spec.Errorf(name.Span, "trace what its callers call instead: "+strings.Join(known, ", "), "%s is inlined in this kernel: there is no place to probe", name.Text)
	}
	if clone := r.wholeClone(); clone != "" {
		return spec.ErrorFix(name.Span, spec.Fix{Span: name.Span, Text: clone}, "trace the clone, whose parameters may differ from the source: ",
			"%s exists only as a clone that the compiler changed: %s", name.Text, strings.Join(r.facts.Clones, ", "))
	}
	return spec.Errorf(name.Span, "probe a function that calls it", "%s is inlined into its callers: there is no place to probe", name.Text)
}

// Places returns where to put the probe, in the kernel's syntax. A name that several
// functions have is replaced by their offsets from _stext, which every kernel accepts for
// an entry. Kernels since 6.7 refuse the name alone; older ones take the first. notes say what
// the user should know of that.
func (r *Function) Places() (symbols, notes []string) {
	if r.place != nil {
		return []string{r.place()}, nil
	}
	name := r.EntryPoint
	if r.Proto.Module != "" {
		if r.Proto.Untyped && r.Spec.Module.Text == "" && len(r.facts.Modules) > 1 {
			notes = append(notes, "there is one in each of "+strings.Join(r.facts.Modules, ", ")+": this is the first one's")
		}
		return []string{r.Proto.Module + ":" + name}, notes
	}
	if len(r.facts.Offsets) < 2 {
		return []string{name}, notes
	}
	if r.facts.Offsets[0] == 0 {
		notes = append(notes, fmt.Sprintf("%d functions are named %s, and /proc/kallsyms hides where: the kernel chooses or refuses", len(r.facts.Offsets), name))
		return []string{name}, notes
	}
	for _, off := range r.facts.Offsets {
		symbols = append(symbols, fmt.Sprintf("_stext+%d", off))
	}
	notes = append(notes, fmt.Sprintf("%d functions are named %s: all of them are probed", len(symbols), name))
	if r.Proto.Copies > 1 {
		notes = append(notes, fmt.Sprintf("their prototypes differ; values are read by this one: %s", r.Proto))
	}
	return symbols, notes
}
