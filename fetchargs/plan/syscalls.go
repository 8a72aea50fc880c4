package plan

import (
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/fetchargs/syscalls"
)

// IsSyscall reports whether the plan traces a system call by its own name, and not by the
// name of the kernel's function.
func (p *Plan) IsSyscall() bool {
	name, _ := syscalls.NamesOf(p.Func.Name)
	return name != "" && len(p.Probes) > 0 && p.Probes[0].Symbols[0] != p.Func.Name
}

// OnceAt reports whether a task is in at most one call of the plan at a time, if its probes
// are at symbol, because that is a system call. The latest entry of the task is then that of
// a return. Not so after execve: the thread may return under another number, and only its
// stack shows which call that was.
func (p *Plan) OnceAt(symbol string) bool {
	_, short := syscalls.NamesOf(p.Func.Name)
	return short != "" && strings.HasSuffix(symbol, "_"+p.Func.Name) && short != "execve" && short != "execveat"
}

// execs are functions and events that are part of execve(2), and of nothing else that a
// program does: fs/exec.c, fs/binfmt_elf.c.
var execs = []string{
	"begin_new_exec", "bprm_execve", "load_elf_binary",
	"sched:sched_prepare_exec", "sched:sched_process_exec", "syscalls:sys_enter_execve", "syscalls:sys_exit_execve",
}

// Execs reports whether the plan traces the system call that starts programs, or a part of it.
func (p *Plan) Execs() bool {
	return p.Func != nil && (p.Func.Name == "sys_execve" && p.IsSyscall() || slices.Contains(execs, p.Func.Name))
}

// Steps returns the plans that can be steps of a chain: it leaves out a plan for calls of
// 32-bit programs that follows the plan for the native call. The same indexes are left
// out of from, which may be nil.
func Steps(plans []*Plan, from []int) (steps []*Plan, kept []int) {
	for i, p := range plans {
		if last := len(steps) - 1; last >= 0 && p.Func != nil && steps[last].Func != nil && p.NarrowOf(steps[last]) {
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

// NarrowOf reports whether p is for 32-bit programs that call it instead of native.
func (p *Plan) NarrowOf(native *Plan) bool {
	name, narrow := strings.CutPrefix(p.Func.Name, syscalls.Compat)
	if !narrow || strings.HasPrefix(native.Func.Name, syscalls.Compat) {
		return false
	}
	_, short := syscalls.NamesOf(name)
	return name == native.Func.Name || "sys_"+syscalls.Native(short) == native.Func.Name
}
