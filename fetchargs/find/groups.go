package find

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// A Description is for people, of one of the things that specs name GROUP:NAME.
type Description interface {
	fmt.Stringer // as a prototype
	Describe(w io.Writer)
}

// Describe returns what matches the glob GROUP:NAME and is not a function of a module.
func Describe(t *target.Target, pattern string) (all []Description) {
	if !strings.Contains(pattern, ":") {
		return nil
	}
	for _, g := range groups {
		all = append(all, g.describe(t, pattern)...)
	}
	return all
}

// Groups yields the names of groups, and what is in these.
func Groups(t *target.Target) func(yield func(name, is string) bool) {
	return func(yield func(name, is string) bool) {
		for _, g := range groups {
			for _, name := range g.names(t) {
				if !yield(name, g.is+"s") {
					return
				}
			}
		}
	}
}

// Members yields the names of what is in a group, and what that is.
func Members(t *target.Target, in string) func(yield func(name, is string) bool) {
	return func(yield func(name, is string) bool) {
		for _, g := range groups {
			for _, name := range g.members(t, in) {
				if !yield(name, g.is) {
					return
				}
			}
		}
	}
}

func syscallGroup(*target.Target) []string { return []string{syscalls.Module} }

func syscallNames(t *target.Target, group string) []string {
	if group != syscalls.Module {
		return nil
	}
	return slices.Sorted(slices.Values(t.CallNames()))
}

func describeSyscalls(t *target.Target, pattern string) (all []Description) {
	if !strings.HasPrefix(pattern, syscalls.Module+":") {
		return nil
	}
	for _, f := range SyscallFuncs(t, pattern) {
		all = append(all, &f)
	}
	return all
}
