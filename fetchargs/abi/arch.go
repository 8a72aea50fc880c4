// Package abi describes the architectures: their registers, how C functions pass
// parameters in registers and on the stack, and which addresses belong to the kernel.
package abi

import (
	"runtime"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

// An Arch describes one architecture: where functions find their parameters, and which
// addresses belong to the kernel.
type Arch struct {
	Name string // its GOARCH name

	WordSize  int  // bytes of a register, a pointer and a long
	BigEndian bool // numbers in memory have the highest byte first

	// Regs are the registers of the integer parameters, in order, by their
	// pt_regs names (arch/*/include/asm/ptrace.h, regs_get_kernel_argument).
	Regs []string
	// Results are the registers of a returned value, the second for values of two words.
	Results [2]string
	// Registers are all that %REG can name: regoffset_table in arch/*/kernel/ptrace.c,
	// the same on 5.10 to 7.3. Aliases maps other names that people use to these.
	Registers []string
	Aliases   map[string]string
	// FirstStack is the N of the $stackN that holds the first parameter not in Regs, at
	// the function's entry; -1 if the kernel cannot fetch it.
	FirstStack int
	// BigByPointer is set if a struct over 16 bytes is passed as a pointer to a copy and
	// uses one register. Otherwise it is on the stack and uses none.
	BigByPointer bool
	// SignedChar is set if char is signed unless the compiler has an option against it.
	SignedChar bool
	// PackedOnStack is set if smaller structs are also on the stack, if a member of
	// theirs is not aligned.
	PackedOnStack bool
	// EvenInt128 is set if an __int128 starts at an even register.
	EvenInt128 bool

	// Syscalls are the ways to call the kernel, that of the machine's own programs first.
	Syscalls []Syscalls

	Caller string // fetcharg of the return address at entry

	// Current are the variables that have the running task, one for each CPU: pointers to
	// it, or structs with a member that is one. A kernel has the first that it knows.
	Current []string

	// StackDelta is how many bytes the stack pointer in a return probe is above the one
	// in the entry probe: the size of the return address where that is on the stack. Seen
	// on 5.10, 6.1, 6.12, 7.3.
	StackDelta int64

	// OneSpace is set if an address may be valid in the kernel and in user space (no
	// ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE, as on s390). Then a fetch without "u" reads
	// only the kernel's memory.
	OneSpace bool

	KernelStart uint64 // first address that may belong to the kernel
	UserEnd     uint64 // first address that cannot belong to user space
}

// ErrorPointers is the first of the kernel's ERR_PTR values: -MAX_ERRNO
// (include/linux/err.h).
const ErrorPointers = ^uint64(0) - 4095 + 1

// IsKernel reports whether addr may be an address of the kernel. Error pointers are not.
func (a *Arch) IsKernel(addr uint64) bool {
	return addr >= a.KernelStart && addr < ErrorPointers
}

// IsUser reports whether addr may be an address in user space. NULL is not.
func (a *Arch) IsUser(addr uint64) bool { return addr != 0 && addr < a.UserEnd }

var arches = []*Arch{amd64, arm64}

// Names returns the GOARCH names of the known architectures.
func Names() []string {
	names := make([]string, len(arches))
	for i, a := range arches {
		names[i] = a.Name
	}
	return names
}

// Named returns the architecture of that GOARCH name, or of "x86_64" or "aarch64"; nil if
// tsnoop does not know it. An empty name means the machine that tsnoop runs on.
//
//go:noinline
func Named(name string) *Arch {
	switch name {
	case "":
		name = runtime.GOARCH
	case "x86_64", "x86-64", "x86":
		name = "amd64"
	case "aarch64":
		name = "arm64"
	}
	for _, a := range arches {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// SuggestRegisters returns the registers that somebody may mean who writes name: the
// processor's manual may spell it differently (%rdi is %di), or another architecture may
// have that name for the same parameter.
func (a *Arch) SuggestRegisters(name string) []string {
	name = strings.ToLower(name)
	candidates := []string{name, strings.TrimLeft(name, "re"), a.Aliases[name]}
	if len(name) > 1 {
		candidates = append(candidates, "x"+name[1:]) // w0
	}
	if name[0] == 'r' {
		candidates = append(candidates, name[:len(name)-1]) // r8d
	}
	for _, other := range arches {
		if i := slices.Index(other.Regs, strings.TrimLeft(name, "re")); i >= 0 && other != a {
			candidates = append(candidates, a.Regs[min(i, len(a.Regs)-1)])
		}
	}
	for _, c := range candidates {
		if slices.Contains(a.Registers, c) {
			return []string{"%" + c}
		}
	}
	suggestions := btf.Suggest(name, slices.Values(a.Registers))
	for i := range suggestions {
		suggestions[i] = "%" + suggestions[i]
	}
	return suggestions
}
