// Package complete says how an unfinished spec can go on.
package complete

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/fetchargs/find"
	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// A Candidate is one way to continue an unfinished spec.
type Candidate struct {
	Text string // the beginning, with its last word completed
	Is   string // what the word is, in C; "" if there is nothing to say
}

// Complete returns the ways to continue text, the beginning of a spec, in the order
// in which people would list them: functions, parameters, members, constants,
// formats. It asks t.Traceable whether a function can be probed. It returns nil if
// text cannot be completed.
func Complete(text string, t *target.Target) []Candidate {
	u, ok := spec.Finish(text)
	if !ok {
		return nil
	}
	found := completeWord(t, u)
	if u.Other != "" {
		found = append(found, completeFunc(t, spec.Unfinished{Head: strings.TrimSuffix(text, u.Other), Word: u.Other})...)
	}
	return found
}

// completeWord completes the last word of a spec.
func completeWord(t *target.Target, u spec.Unfinished) []Candidate {
	switch {
	case u.Func:
		return completeFunc(t, u)
	case u.Type != "":
		return completeType(t, u)
	case u.Word != "" && !spec.IsWord(u.Word[0]):
		return beginning(u, sigils(t, u.Word[0]))
	}
	s, err := spec.Parse(u.Whole)
	if err != nil || spec.IsGlob(s.Func.Text) {
		return nil
	}
	// Nothing is named like the hole, so there is an error, and it knows what there is.
	_, err = fetchargs.Resolve([]*spec.Spec{s}, t)
	var errs spec.Errors
	errors.As(err, &errs)
	for _, e := range errs {
		var missing *btf.NotFoundError
		if errors.As(e.Err, &missing) && missing.All != nil && strings.TrimPrefix(missing.Name, "-") == spec.Hole {
			return beginning(u, missing.All)
		}
	}
	return nil
}

// beginning returns the names that begin with the word of u, each once.
//
//go:noinline
func beginning(u spec.Unfinished, all iter.Seq2[string, string]) []Candidate {
	var found []Candidate
	seen := map[string]bool{}
	for name, is := range all {
		if strings.HasPrefix(name, u.Word) && !seen[name] {
			seen[name] = true
			found = append(found, Candidate{u.Head + name, is})
		}
	}
	return found
}

// completeFunc completes FUNC or MODULE:FUNC.
func completeFunc(t *target.Target, u spec.Unfinished) []Candidate {
	group, name, in := strings.Cut(u.Word, ":")
	if !in {
		group, name = "", u.Word
	}
	if spec.IsGlob(name) {
		return nil
	}
	var found []Candidate
	for member, is := range members(t, group, name) {
		if in {
			member = group + ":" + member
		}
		if n := len(found); n == 0 || found[n-1].Text != u.Head+member {
			found = append(found, Candidate{u.Head + member, is})
		}
	}
	if in {
		return found
	}
	for group, is := range find.Groups(t) {
		if strings.HasPrefix(group, name) && name != "" {
			found = append(found, Candidate{u.Head + group + ":", is})
		}
	}
	for _, m := range t.Kernel.Modules() {
		if strings.HasPrefix(m, name) {
			found = append(found, Candidate{u.Head + m + ":", "module"})
		}
	}
	return found
}

// members returns what begins with name and can be traced, of a module, another group, or if
// group is empty, of all modules; and what each is.
func members(t *target.Target, group, name string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		var names []btf.FuncName
		if group != "syscall" {
			names, _ = t.Kernel.FuncNames(group, name+"*")
		}
		for _, f := range names {
			if (t.Traceable == nil || t.Traceable(f.Module, f.Name)) && !yield(f.Name, f.Module) {
				return
			}
		}
		if short, is := strings.CutPrefix(name, "sys_"); is {
			for _, call := range t.CallNames() {
				if strings.HasPrefix(call, short) && !yield("sys_"+call, "system call") {
					return
				}
			}
		}
		for member, is := range find.Members(t, group) {
			if strings.HasPrefix(member, name) && !yield(member, is) {
				return
			}
		}
	}
}

// completeType completes the name after struct, union or enum.
func completeType(t *target.Target, u spec.Unfinished) []Candidate {
	keyword := u.Type + " "
	names, _ := t.Kernel.TypeNames(keyword + u.Word + "*")
	return beginning(u, func(yield func(string, string) bool) {
		for _, name := range names {
			if !yield(strings.TrimPrefix(name, keyword), "") {
				return
			}
		}
	})
}

// sigils yields the names that begin with a sigil.
func sigils(t *target.Target, sigil byte) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		switch sigil {
		case '@':
			for _, name := range slices.Sorted(maps.Keys(target.Variables)) {
				if !yield("@"+name, target.Variables[name]) {
					return
				}
			}
		case '%':
			for _, name := range t.Arch.Regs {
				if !yield("%"+name, "") {
					return
				}
			}
		case '$':
			names := []string{"$comm", "$retval", "$stack0"}
			if t.HasCurrent() {
				names = append(names, "$current")
			}
			for i := range t.Arch.Regs {
				names = append(names, fmt.Sprintf("$arg%d", i+1))
			}
			for _, name := range names {
				if !yield(name, "") {
					return
				}
			}
		}
	}
}
