package fetchargs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
)

// syscalls32 returns the functions of a system call for 32-bit programs; n is the index
// of their ABI in Arch.Syscalls.
func (t *Target) syscalls32(name string, proto syscalls.Proto, n int) []*syscall {
	way := &t.Arch.Syscalls[n]
	how := syscalls.NarrowOf(name, t.Arch.Name)
	prefixes := way.Prefixes
	if how.Plain {
		prefixes = slices.DeleteFunc(slices.Clone(prefixes), isCompat)
	}
	var calls []*syscall
	if symbol := t.syscallSymbol(name, prefixes, false); symbol != "" && !how.Never && len(proto.Params) > 0 {
		calls = append(calls, t.newSyscall(name, symbol, way, proto))
	}
	for _, other := range how.Others {
		if c := t.otherCall(other, proto, n); c != nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// isCompat reports whether functions with the prefix are only for 32-bit programs.
func isCompat(prefix string) bool { return strings.Contains(prefix, "_compat_") }

// otherCall returns the system call of other; nil if this kernel has no such function.
func (t *Target) otherCall(other syscalls.Other, proto syscalls.Proto, n int) *syscall {
	if other.Proto != nil {
		proto = syscalls.Proto{Result: proto.Result, Params: other.Proto.Params}
	}
	way := &t.Arch.Syscalls[n]
	prefixes := append(slices.Clip(way.Prefixes), t.Arch.Syscalls[0].Prefixes...)
	none := len(proto.Params) == 0
	if none {
		prefixes = slices.DeleteFunc(slices.Clone(prefixes), isCompat)
	}
	symbol := t.syscallSymbol(other.Name, prefixes, none)
	if symbol == "" {
		return nil
	}
	return t.newSyscall(other.Name, symbol, way, proto)
}

// onlyNarrow returns the system calls that only 32-bit programs do under that name.
func (t *Target) onlyNarrow(name string) []*syscall {
	var found []*syscall
	for _, c := range t.allNarrow() {
		if c.name == name {
			found = append(found, c)
		}
	}
	return found
}

// allNarrow returns the functions that 32-bit programs call under names that other
// programs do not use.
func (t *Target) allNarrow() []*syscall {
	var all []*syscall
	seen := map[string]bool{}
	for n := range t.Arch.Syscalls {
		if !t.Arch.Syscalls[n].Narrow {
			continue
		}
		for name := range syscalls.NarrowNames() {
			proto, _ := t.syscallProto(name)
			for _, other := range syscalls.NarrowOf(name, t.Arch.Name).Others {
				if c := t.otherCall(other, proto, n); c != nil && !seen[c.symbol] {
					seen[c.symbol] = true
					all = append(all, c)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b *syscall) int { return strings.Compare(a.name, b.name) })
	return all
}

// isFurther reports whether the job is for 32-bit programs and comes after the job for
// the machine's own programs.
func (j *job) isFurther() bool {
	return j.call != nil && j.call.abi.Narrow && !strings.HasPrefix(j.named, syscalls.Compat)
}

// withNarrow adds the plan for 32-bit programs. If there is none, it adds a note why to
// the plan for the machine's own programs.
func withNarrow(plans []*Plan, plan *Plan, j *job, errs spec.Errors) []*Plan {
	if len(errs) == 0 {
		plan.Glob = j.glob
		return append(plans, plan)
	}
	for _, native := range slices.Backward(plans) {
		if native == nil {
			break
		} else if strings.HasPrefix(native.Func.Name, syscalls.Compat) {
			continue
		}
		by := ""
		if syscalls.Compat+native.Func.Name != j.call.fn.Name {
			by = " by " + j.call.name
		}
		native.Notes = append(native.Notes, "calls of 32-bit programs"+by+" are not shown: "+errs[0].Msg)
		break
	}
	return plans
}

// withVia adds a note to the plan of a system call if 32-bit programs may also do it in a
// way that is not shown.
func (t *Target) withVia(p *Plan, c *syscall) {
	via := syscalls.NarrowOf(c.name, t.Arch.Name).Via
	if via == "" || c.abi.Narrow || len(t.onlyNarrow(via)) == 0 {
		return
	}
	p.Notes = append(p.Notes, fmt.Sprintf("calls of 32-bit programs by %s are not shown: trace compat_sys_%[1]s", via))
}
