package fetchargs

import (
	"runtime"
	"strings"
)

// An Arch is what the language needs to know of a machine: where functions
// find their parameters and which addresses are the kernel's.
type Arch struct {
	Name string // as in GOARCH

	// Regs are the registers of the integer parameters, in order, by their
	// pt_regs names (arch/*/include/asm/ptrace.h, regs_get_kernel_argument).
	Regs []string
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

// errorPointers is where the kernel's ERR_PTR values begin: -MAX_ERRNO
// (include/linux/err.h).
const errorPointers = ^uint64(0) - 4095 + 1

func (a *Arch) isKernel(addr uint64) bool {
	return addr >= a.KernelStart && addr < errorPointers
}

func (a *Arch) isUser(addr uint64) bool { return addr != 0 && addr < a.UserEnd }

var arches = []*Arch{
	{
		Name: "amd64", Regs: []string{"di", "si", "dx", "cx", "r8", "r9"}, FirstStack: 1, PackedOnStack: true, SignedChar: true,
		Registers: strings.Fields("di si dx cx r8 r9 ax bx bp sp ip flags cs ss orig_ax r10 r11 r12 r13 r14 r15"),
		Aliases:   map[string]string{"pc": "ip", "dil": "di", "sil": "si", "al": "ax", "bl": "bx", "cl": "cx", "dl": "dx"},
		Caller:    "$stack0", StackDelta: 8, KernelStart: 0xff00_0000_0000_0000, UserEnd: 0x0100_0000_0000_0000,
	},
	{
		Name: "arm64", Regs: []string{"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"}, FirstStack: 0,
		Registers:    strings.Fields("x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 x30 lr sp pc pstate"),
		Aliases:      map[string]string{"fp": "x29", "ip": "pc", "cpsr": "pstate", "ax": "x0"},
		BigByPointer: true, EvenInt128: true,
		Caller: "%lr", KernelStart: 0xff00_0000_0000_0000, UserEnd: 0x0100_0000_0000_0000,
	},
}

// ArchNamed is the architecture of that GOARCH name ("x86_64" and "aarch64"
// are understood too), nil if tsnoop does not know it.
func ArchNamed(name string) *Arch {
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
