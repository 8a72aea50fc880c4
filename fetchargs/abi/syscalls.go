package abi

// A Syscalls says how programs of one kind call the kernel. Since 4.17 a system call is a
// function with one parameter, a struct pt_regs with the registers of the caller
// (Documentation/process/adding-syscalls.rst).
type Syscalls struct {
	// Prefixes make the name of a function from that of a call: "__x64_sys_" and
	// "openat". If several of the functions exist, the first one gets the calls.
	Prefixes []string
	// Regs are the members of struct pt_regs that hold the arguments, in order. They
	// differ from Arch.Regs: the fourth argument of a system call is in %r10, because the
	// instruction itself needs %rcx.
	Regs []string
	// Narrow is set for 32-bit programs, whose long and pointers have four bytes.
	Narrow bool
}

// See arch/x86/include/asm/syscall_wrapper.h.
var amd64Syscalls = []Syscalls{
	{Prefixes: []string{"__x64_sys_"}, Regs: []string{"di", "si", "dx", "r10", "r8", "r9"}},
	{Prefixes: []string{"__ia32_compat_sys_", "__ia32_sys_"}, Regs: []string{"bx", "cx", "dx", "si", "di", "bp"}, Narrow: true},
}

// See arch/arm64/include/asm/syscall_wrapper.h. A call of a 32-bit program that needs no
// function of its own uses the common one.
var arm64Syscalls = []Syscalls{
	{Prefixes: []string{"__arm64_sys_"}, Regs: arm64Args},
	{Prefixes: []string{"__arm64_compat_sys_"}, Regs: arm64Args, Narrow: true},
}

var arm64Args = []string{"regs[0]", "regs[1]", "regs[2]", "regs[3]", "regs[4]", "regs[5]"}
