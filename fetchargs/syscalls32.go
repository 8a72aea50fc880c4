package fetchargs

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tsnoop/tsnoop/fetchargs/spec"
)

// A narrowCall says how 32-bit programs do a system call.
type narrowCall struct {
	never  bool // not by the function of this name
	plain  bool // not by the function of this name that is only for 32-bit programs
	others []otherCall
	via    string // a call that may do it too, with the arguments in memory
}

// An otherCall is a function that 32-bit programs call instead.
type otherCall struct {
	name  string
	proto *syscallProto // nil if it has the parameters of the call
}

//go:embed syscalls32.txt
var syscall32Text string

// narrowCalls has the calls by name, and by NAME@ARCH what applies to one architecture
// only. The calls under "-" are done only by 32-bit programs.
var narrowCalls = sync.OnceValue(func() map[string]narrowCall {
	table := map[string]narrowCall{}
	for line := range strings.Lines(syscall32Text) {
		line = strings.TrimSpace(line)
		name, rest, _ := strings.Cut(line, " ")
		if line == "" || line[0] == '#' {
			continue
		}
		c := table[name]
		switch how, text, _ := strings.Cut(rest, " "); how {
		case "-":
			c.never = true
		case "sys":
			c.plain = true
		case "via":
			c.via = text
		case "=":
			other := otherCall{name: text}
			if strings.Contains(text, "(") {
				var proto syscallProto
				other.name, proto = parseSyscall(text)
				other.proto = &proto
			}
			c.others = append(c.others, other)
		}
		table[name] = c
	}
	return table
})

// narrowCall says how 32-bit programs do a system call on the target's architecture.
func (t *Target) narrowCall(name string) narrowCall {
	c, here := narrowCalls()[name], narrowCalls()[name+"@"+t.Arch.Name]
	c.never, c.plain = c.never || here.never, c.plain || here.plain
	c.others, c.via = append(slices.Clip(c.others), here.others...), here.via
	return c
}

// syscalls32 returns the functions of a system call for 32-bit programs; n is the index
// of their ABI in Arch.Syscalls.
func (t *Target) syscalls32(name string, proto syscallProto, n int) []*syscall {
	way := &t.Arch.Syscalls[n]
	how := t.narrowCall(name)
	prefixes := way.Prefixes
	if how.plain {
		prefixes = slices.DeleteFunc(slices.Clone(prefixes), isCompat)
	}
	var calls []*syscall
	if symbol := t.syscallSymbol(name, prefixes, false); symbol != "" && !how.never && len(proto.params) > 0 {
		calls = append(calls, t.newSyscall(name, symbol, way, proto))
	}
	for _, other := range how.others {
		if c := t.otherCall(other, proto, n); c != nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// isCompat reports whether functions with the prefix are only for 32-bit programs.
func isCompat(prefix string) bool { return strings.Contains(prefix, "_compat_") }

// otherCall returns the system call of other; nil if this kernel has no such function.
func (t *Target) otherCall(other otherCall, proto syscallProto, n int) *syscall {
	if other.proto != nil {
		proto = syscallProto{result: proto.result, params: other.proto.params}
	}
	way := &t.Arch.Syscalls[n]
	prefixes := append(slices.Clip(way.Prefixes), t.Arch.Syscalls[0].Prefixes...)
	none := len(proto.params) == 0
	if none {
		prefixes = slices.DeleteFunc(slices.Clone(prefixes), isCompat)
	}
	symbol := t.syscallSymbol(other.name, prefixes, none)
	if symbol == "" {
		return nil
	}
	return t.newSyscall(other.name, symbol, way, proto)
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
		for name := range narrowCalls() {
			name, _, _ = strings.Cut(name, "@")
			proto, _ := t.syscallProto(name)
			for _, other := range t.narrowCall(name).others {
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

// nativeCall returns the system call that 32-bit programs also do under the name short,
// "" if there is none.
func nativeCall(short string) string {
	return nativeCalls()[short]
}

var nativeCalls = sync.OnceValue(func() map[string]string {
	table := map[string]string{}
	for name, c := range narrowCalls() {
		name, _, _ = strings.Cut(name, "@")
		for _, other := range c.others {
			if name != "-" {
				table[other.name] = name
			}
		}
	}
	return table
})

// isFurther reports whether the job is for 32-bit programs and comes after the job for
// the machine's own programs.
func (j *job) isFurther() bool {
	return j.call != nil && j.call.abi.Narrow && !strings.HasPrefix(j.named, compat)
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
		} else if strings.HasPrefix(native.Func.Name, compat) {
			continue
		}
		by := ""
		if compat+native.Func.Name != j.call.fn.Name {
			by = " by " + j.call.name
		}
		native.Notes = append(native.Notes, "calls of 32-bit programs"+by+" are not shown: "+errs[0].Msg)
		break
	}
	return plans
}

// Steps returns the plans that can be steps of a chain: it leaves out a plan for calls of
// 32-bit programs that follows the plan for the native call. The same indexes are left
// out of from, which may be nil.
func Steps(plans []*Plan, from []int) (steps []*Plan, kept []int) {
	for i, p := range plans {
		if last := len(steps) - 1; last >= 0 && p.Func != nil && steps[last].Func != nil && p.narrowOf(steps[last]) {
			const note = "calls of 32-bit programs are in no chain"
			if notes := &steps[last].Notes; !slices.Contains(*notes, note) {
				*notes = append(*notes, note)
			}
			continue
		}
		steps = append(steps, p)
		if from != nil {
			kept = append(kept, from[i])
		}
	}
	return steps, kept
}

// narrowOf reports whether p is for 32-bit programs that call it instead of native.
func (p *Plan) narrowOf(native *Plan) bool {
	name, narrow := strings.CutPrefix(p.Func.Name, compat)
	if !narrow || strings.HasPrefix(native.Func.Name, compat) {
		return false
	}
	_, short := syscallName(name)
	return name == native.Func.Name || "sys_"+nativeCall(short) == native.Func.Name
}

// withVia adds a note to the plan of a system call if 32-bit programs may also do it in a
// way that is not shown.
func (t *Target) withVia(p *Plan, c *syscall) {
	via := t.narrowCall(c.name).via
	if via == "" || c.abi.Narrow || len(t.onlyNarrow(via)) == 0 {
		return
	}
	p.Notes = append(p.Notes, fmt.Sprintf("calls of 32-bit programs by %s are not shown: trace compat_sys_%[1]s", via))
}
