package tracee

import "golang.org/x/sys/unix"

// doExecve is a system call, and a breakpoint in case that it returns.
var doExecve = []byte{0x01, 0x00, 0x00, 0xd4, 0x00, 0x00, 0x20, 0xd4} // svc #0; brk #0

const prstatus = 1 // NT_PRSTATUS of include/uapi/linux/elf.h

func registers(pid int, r *unix.PtraceRegs) error {
	return unix.PtraceGetRegSetArm64(pid, prstatus, (*unix.PtraceRegsArm64)(r))
}

func setRegisters(pid int, r *unix.PtraceRegs) error {
	return unix.PtraceSetRegSetArm64(pid, prstatus, (*unix.PtraceRegsArm64)(r))
}

// places returns the stack and instruction pointers of a 64-bit program. The registers of
// others fill only the first of these.
func places(r *unix.PtraceRegs) (sp, pc uint64, ok bool) { return r.Sp, r.Pc, r.Sp != 0 && r.Pc != 0 }

// setCall sets the registers for execve(2).
func setCall(r *unix.PtraceRegs, path, argv, envp uint64) {
	r.Regs[0], r.Regs[1], r.Regs[2], r.Regs[8] = path, argv, envp, unix.SYS_EXECVE
}
