// Package abi knows the architectures: their registers, how C functions pass
// parameters in them and on the stack, and which addresses are the kernel's.
package abi

import (
	"runtime"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/btf"
)

// An Arch is what the language needs to know of a machine: where functions
// find their parameters and which addresses are the kernel's.
type Arch struct {
	Name string // as in GOARCH

	WordSize  int  // bytes of a register, a pointer and a long
	BigEndian bool // numbers lie in memory with the highest byte first

	// Regs are the registers of the integer parameters, in order, by their
	// pt_regs names (arch/*/include/asm/ptrace.h, regs_get_kernel_argument).
	Regs []string
	// Results are the registers of a returned value, the second of one of two words.
	Results [2]string
	// Registers are all that %REG can name: regoffset_table in
	// arch/*/kernel/ptrace.c, the same on 5.10 to 7.3. Aliases are other names
	// people know them by.
	Registers []string
	Aliases   map[string]string
	// FirstStack is the $stackN of the first parameter past Regs at the
	// function's entry, -1 if the kernel cannot fetch those.
	FirstStack int
	// BigByPointer: structs over 16 bytes are passed as a pointer to a copy
	// and use one register; otherwise they lie on the stack and use none.
	BigByPointer bool
	// SignedChar: char is, if the compiler is not told otherwise.
	SignedChar bool
	// PackedOnStack: so are smaller ones with a member that is not aligned.
	PackedOnStack bool
	// EvenInt128: an __int128 starts at an even register.
	EvenInt128 bool

	// Syscalls are the ways to call the kernel, that of its own programs first.
	Syscalls []Syscalls

	Caller string // fetcharg of the return address at entry

	// StackDelta is how many bytes the stack pointer that kprobes show at a
	// function's return lies above the one at its entry: the size of the
	// return address where that is on the stack. Seen on 5.10, 6.1, 6.12, 7.3.
	StackDelta int64

	// OneSpace: an address alone does not tell whether it is the kernel's or
	// user space's (no ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE, as on s390), so
	// that a fetch without "u" reads the kernel's memory only.
	OneSpace bool

	KernelStart uint64 // first address that can be the kernel's
	UserEnd     uint64 // first address that cannot be user space's
}

// ErrorPointers is where the kernel's ERR_PTR values begin: -MAX_ERRNO
// (include/linux/err.h).
const ErrorPointers = ^uint64(0) - 4095 + 1

// IsKernel reports whether addr can be the kernel's: it is no error pointer.
func (a *Arch) IsKernel(addr uint64) bool {
	return addr >= a.KernelStart && addr < ErrorPointers
}

// IsUser reports whether addr can be user space's: it is not NULL.
func (a *Arch) IsUser(addr uint64) bool { return addr != 0 && addr < a.UserEnd }

var arches = []*Arch{amd64, arm64}

// Names are those of the architectures that are known, as in GOARCH.
func Names() []string {
	names := make([]string, len(arches))
	for i, a := range arches {
		names[i] = a.Name
	}
	return names
}

// Named is the architecture of that GOARCH name ("x86_64" and "aarch64"
// are understood too), nil if tsnoop does not know it.
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

// NearRegisters are those that somebody means who writes name: as the processor's
// manual spells it (%rdi is %di), or another architecture's for the same
// parameter.
func (a *Arch) NearRegisters(name string) []string {
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
	near := btf.Near(name, slices.Values(a.Registers))
	for i := range near {
		near[i] = "%" + near[i]
	}
	return near
}
