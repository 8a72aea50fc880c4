package abi

// Syscalls says how programs of one kind call the kernel. What they call is, since
// 4.17, a function of one parameter, a struct pt_regs with the caller's registers
// (Documentation/process/adding-syscalls.rst).
type Syscalls struct {
	// Prefixes make a function's name of a call's: "__x64_sys_" and "openat". Of
	// several functions the first one that there is gets the calls.
	Prefixes []string
	// Regs are the members of struct pt_regs that have the arguments, in order.
	// They are not Arch.Regs: a system call's fourth is in %r10, as the instruction
	// itself needs %rcx.
	Regs []string
	// Narrow: the program is a 32-bit one, its long and its pointers have four bytes.
	Narrow bool
}

// See arch/x86/include/asm/syscall_wrapper.h.
var amd64Syscalls = []Syscalls{
	{Prefixes: []string{"__x64_sys_"}, Regs: []string{"di", "si", "dx", "r10", "r8", "r9"}},
	{Prefixes: []string{"__ia32_compat_sys_", "__ia32_sys_"}, Regs: []string{"bx", "cx", "dx", "si", "di", "bp"}, Narrow: true},
}

// See arch/arm64/include/asm/syscall_wrapper.h. Where a 32-bit program needs no
// function of its own it calls that of the others.
var arm64Syscalls = []Syscalls{
	{Prefixes: []string{"__arm64_sys_"}, Regs: arm64Args},
	{Prefixes: []string{"__arm64_compat_sys_"}, Regs: arm64Args, Narrow: true},
}

var arm64Args = []string{"regs[0]", "regs[1]", "regs[2]", "regs[3]", "regs[4]", "regs[5]"}
