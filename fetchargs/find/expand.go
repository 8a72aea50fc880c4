package find

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs/source"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// A Job is one function to make a plan for.
type Job struct {
	Spec       *spec.Spec
	Source     source.Source
	EntryPoint string   // the function's name in the kernel
	Glob       *Glob    // nil if the user named the function
	named      string   // for a system call, the name that the user gave
	Call       *Syscall // the system call that the function implements; nil if it is not one
}

// Attempts returns what there is to try for the specs; the alternatives of a spec
// follow each other.
func Attempts(t *target.Target, specs []*spec.Spec) (all []Attempt, fatal error) {
	var sum totals
	for _, s := range specs {
		for ; s != nil; s = s.Else {
			if wrong := sum.addSpec(s); wrong != nil {
				return nil, spec.Errors{wrong}
			}
			a, err := attempt(t, s)
			if err != nil {
				return nil, err
			}
			if wrong := sum.addFound(s, len(a.Jobs)); wrong != nil {
				return nil, spec.Errors{wrong}
			}
			if all = append(all, a); !s.HasAlternatives() {
				sum.errs += len(a.Errs)
			}
		}
		if sum.errs >= spec.MaxErrors {
			break
		}
	}
	return all, nil
}

func attempt(t *target.Target, s *spec.Spec) (Attempt, error) {
	for _, n := range namings {
		a, is, err := n(t, s)
		if is || err != nil {
			a.Spec = s
			return a, err
		}
	}
	panic("find: a spec that is not understood: " + s.Text)
}

func byGlob(t *target.Target, s *spec.Spec) (a Attempt, is bool, fatal error) {
	if !spec.IsGlob(s.Func.Text) {
		return a, false, nil
	}
	jobs, wrong, fatal := expand(t, s)
	return newAttempt(jobs, wrong), true, fatal
}

func bySyscall(t *target.Target, s *spec.Spec) (a Attempt, is bool, fatal error) {
	if calls := namedSyscalls(t, s); len(calls) > 0 {
		return newAttempt(syscallJobs(s, nil, calls...), nil), true, nil
	}
	if name := plainSyscall(t, s); name != "" {
		return newAttempt([]Job{{Spec: s.ForSyscall(name), EntryPoint: name}}, nil), true, nil
	}
	if s.Module.Text == syscalls.Module {
		return newAttempt(nil, noSyscall(t, s)), true, nil
	}
	return a, false, nil
}

func byFunction(_ *target.Target, s *spec.Spec) (Attempt, bool, error) {
	return newAttempt([]Job{{Spec: s, EntryPoint: s.Func.Text}}, nil), true, nil
}

// expand returns a job for each function that a glob matches. wrong says why there
// is nothing to probe.
func expand(t *target.Target, s *spec.Spec) (found []Job, wrong *spec.Error, fatal error) {
	calls := matchingSyscalls(t, s)
	var names []btf.FuncName
	if names, wrong, fatal = matchingFuncs(t, s, len(calls) > 0); fatal != nil {
		return nil, nil, fatal
	}
	g := &Glob{Spec: s, Matches: len(names) + len(calls)}
	for _, f := range names {
		if traceable(t, f.Module, f.Name) {
			found = append(found, Job{Spec: s.For(f.Module, f.Name), EntryPoint: f.Name, Glob: g})
		} else {
			g.Left = append(g.Left, LeftOut{Func: f.Name, Why: "not traceable"})
		}
	}
	for _, call := range calls {
		if !call.ABI.Narrow && call.narrow {
			g.Narrow++
		}
		if call.traceable(t) {
			found = append(found, syscallJobs(s, g, call)...)
		} else {
			g.Left = append(g.Left, LeftOut{Func: call.Proto.Name, Why: "not traceable"})
		}
	}
	switch {
	case wrong != nil:
		return nil, wrong, nil
	case len(found) == 0:
		return nil, g.Empty(), nil
	case len(found) > maxFunctions && (t.Live || t.FromFile):
		return nil, tooMany(t, s, len(found)), nil
	}
	return found, nil, nil
}

// matchingFuncs returns the functions that a glob matches, or an error in the glob, unless
// it matches system calls.
func matchingFuncs(t *target.Target, s *spec.Spec, calls bool) ([]btf.FuncName, *spec.Error, error) {
	if s.Module.Text == syscalls.Module {
		if calls {
			return nil, nil, nil
		}
		return nil, noSyscall(t, s), nil
	}
	names, err := t.Kernel.FuncNames(s.Module.Text, s.Func.Text)
	var missing *btf.NotFoundError
	if errors.As(err, &missing) && isBuiltIn(t, s) {
		names, err = t.Kernel.FuncNames("vmlinux", s.Func.Text)
	}
	switch {
	case errors.As(err, &missing) && calls:
		return nil, nil, nil
	case errors.As(err, &missing):
		return nil, noModule(t, s, missing), nil
	case errors.Is(err, btf.ErrNoBTF):
		return nil, nil, err
	case err != nil:
		return nil, nil, fmt.Errorf("reading BTF: %w", err)
	case len(names) == 0 && !calls:
		return nil, noMatch(t, s), nil
	}
	return names, nil, nil
}

func tooMany(t *target.Target, s *spec.Spec, n int) *spec.Error {
	possible := "can be traced at once"
	if !t.Live {
		possible = "are possible in a file"
	}
	return s.Errorf("choose fewer: tsnoop list '"+s.Func.Text+"' shows them", "%s stands for %d functions, %d %s", s.Func.Text, n, maxFunctions, possible)
}

// traceable reports whether a function can be probed, as far as is known.
func traceable(t *target.Target, module, name string) bool {
	if t.Traceable == nil || t.Traceable(module, name) {
		return true
	}
	awaited, _ := t.Waits(module)
	return awaited
}

// noMatch returns the error for a glob that matches nothing.
func noMatch(t *target.Target, s *spec.Spec) *spec.Error {
	of, hint := "this kernel", ""
	if s.Module.Text != "" {
		of = "the module " + s.Module.Text
	}
	if names, err := t.Kernel.FuncNames(s.Module.Text, "*"); err == nil {
		hint = "write a glob with *, ?, [a-z] or [^a-z], and look for names: tsnoop list '*'"
		if suggestions := nearGlobs(s.Func.Text, names); len(suggestions) > 0 {
			hint = spec.DidYouMean(suggestions, "")
		}
	}
	return s.Errorf(hint, "no function of %s matches %s", of, s.Func.Text)
}

// nearGlobs returns globs that match something and begin nearly like this one.
// Common beginnings of names are more likely to be meant than rare ones.
func nearGlobs(glob string, names []btf.FuncName) []string {
	fixed := glob[:strings.IndexAny(glob, "*?[")]
	rest := glob[len(fixed):]
	match, err := btf.Glob(rest)
	if err != nil {
		return nil
	}
	count := map[string]int{}
	for _, f := range names {
		if len(f.Name) < len(fixed) {
			continue
		}
		if match(f.Name[len(fixed):]) {
			count[f.Name[:len(fixed)]]++
		}
	}
	begins := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(count[b]-count[a], strings.Compare(a, b))
	})
	const common = 100
	suggestions := btf.Suggest(fixed, slices.Values(begins[:min(common, len(begins))]))
	if len(suggestions) == 0 {
		suggestions = btf.Suggest(fixed, slices.Values(begins))
	}
	for i := range suggestions {
		suggestions[i] += rest
	}
	return suggestions
}

// An Attempt is one alternative of a spec, or a spec without alternatives.
type Attempt struct {
	Spec *spec.Spec
	Jobs []Job
	Errs spec.Errors // why there are no jobs
}

// newAttempt returns an attempt whose spec is not set. wrong is nil if there are jobs.
func newAttempt(jobs []Job, wrong *spec.Error) Attempt {
	a := Attempt{Jobs: jobs}
	if wrong != nil {
		a.Errs = spec.Errors{wrong}
	}
	return a
}
