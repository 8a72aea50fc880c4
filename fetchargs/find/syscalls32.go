package find

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
	"github.com/tsnoop/tsnoop/fetchargs/target"
)

// narrowCalls returns the functions of a system call for 32-bit programs; n is the index
// of their ABI in Arch.Syscalls.
func narrowCalls(t *target.Target, name string, proto syscalls.Proto, n int) []*Syscall {
	way := &t.Arch.Syscalls[n]
	how := syscalls.NarrowOf(name, t.Arch.Name)
	prefixes := way.Prefixes
	if how.Plain {
		prefixes = slices.DeleteFunc(slices.Clone(prefixes), isCompat)
	}
	var calls []*Syscall
	if symbol := syscallSymbol(t, name, prefixes, false); symbol != "" && !how.Never && len(proto.Params) > 0 {
		calls = append(calls, newSyscall(t, name, symbol, way, proto))
	}
	for _, other := range how.Others {
		if c := narrowCall(t, other, proto, n); c != nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// isCompat reports whether functions with the prefix are only for 32-bit programs.
func isCompat(prefix string) bool { return strings.Contains(prefix, "_compat_") }

// narrowCall returns the system call of other; nil if this kernel has no such function.
func narrowCall(t *target.Target, other syscalls.Other, proto syscalls.Proto, n int) *Syscall {
	if other.Proto != nil {
		proto = syscalls.Proto{Result: proto.Result, Params: other.Proto.Params}
	}
	way := &t.Arch.Syscalls[n]
	prefixes := append(slices.Clip(way.Prefixes), t.Arch.Syscalls[0].Prefixes...)
	none := len(proto.Params) == 0
	if none {
		prefixes = slices.DeleteFunc(slices.Clone(prefixes), isCompat)
	}
	symbol := syscallSymbol(t, other.Name, prefixes, none)
	if symbol == "" {
		return nil
	}
	return newSyscall(t, other.Name, symbol, way, proto)
}

// OnlyNarrow returns the system calls that only 32-bit programs do under that name.
func OnlyNarrow(t *target.Target, name string) []*Syscall {
	var found []*Syscall
	for _, c := range allNarrow(t) {
		if c.Name == name {
			found = append(found, c)
		}
	}
	return found
}

// allNarrow returns the functions that 32-bit programs call under names that other
// programs do not use.
func allNarrow(t *target.Target) []*Syscall {
	var all []*Syscall
	seen := map[string]bool{}
	for n := range t.Arch.Syscalls {
		if !t.Arch.Syscalls[n].Narrow {
			continue
		}
		for name := range syscalls.NarrowNames() {
			proto, _ := t.CallProto(name)
			for _, other := range syscalls.NarrowOf(name, t.Arch.Name).Others {
				if c := narrowCall(t, other, proto, n); c != nil && !seen[c.symbol] {
					seen[c.symbol] = true
					all = append(all, c)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b *Syscall) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// IsFurther reports whether the job is for 32-bit programs and comes after the job for
// the machine's own programs.
func (j *Job) IsFurther() bool {
	return j.Call != nil && j.Call.ABI.Narrow && !strings.HasPrefix(j.named, syscalls.Compat)
}
