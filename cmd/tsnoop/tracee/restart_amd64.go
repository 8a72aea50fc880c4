package tracee

import "golang.org/x/sys/unix"

// doExecve is a system call, and a breakpoint in case that it returns.
var doExecve = []byte{0x0f, 0x05, 0xcc} // syscall; int3

func registers(pid int, r *unix.PtraceRegs) error    { return unix.PtraceGetRegs(pid, r) }
func setRegisters(pid int, r *unix.PtraceRegs) error { return unix.PtraceSetRegs(pid, r) }

// places returns the stack and instruction pointers of a 64-bit program.
func places(r *unix.PtraceRegs) (sp, pc uint64, ok bool) {
	const userCS = 0x33 // __USER_CS of arch/x86/include/asm/segment.h
	return r.Rsp, r.Rip, r.Cs == userCS
}

// setCall sets the registers for execve(2).
func setCall(r *unix.PtraceRegs, path, argv, envp uint64) {
	r.Rax, r.Rdi, r.Rsi, r.Rdx = unix.SYS_EXECVE, path, argv, envp
	r.Orig_rax = ^uint64(0) // there is no system call to restart
}
