package main

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const sysFstatat = unix.SYS_FSTATAT

// callRegs holds the registers of a thread that is stopped at a system call.
type callRegs struct{ unix.PtraceRegsArm64 }

func (r *callRegs) get(tid int) error {
	return unix.PtraceGetRegSetArm64(tid, ntPRStatus, &r.PtraceRegsArm64)
}

func (r *callRegs) set(tid int) error {
	return unix.PtraceSetRegSetArm64(tid, ntPRStatus, &r.PtraceRegsArm64)
}

func (r *callRegs) nr() uint64 { return r.Regs[8] }

func (r *callRegs) arg(i int) uint64 { return r.Regs[i] }

// Register sets of ptrace(2).
const (
	ntPRStatus   = 1
	ntSystemCall = 0x404
)

// skip skips the call; the thread gets the result. The number of the call is in a
// register set of its own.
func (r *callRegs) skip(tid int, result int64) error {
	none := int32(-1)
	iov := unix.Iovec{Base: (*byte)(unsafe.Pointer(&none)), Len: 4}
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SETREGSET, uintptr(tid), ntSystemCall, uintptr(unsafe.Pointer(&iov)), 0, 0)
	if errno != 0 {
		return errno
	}
	r.Regs[0] = uint64(result)
	return r.set(tid)
}

// fail makes a call that was carried out return an error.
func (r *callRegs) fail(tid int, e unix.Errno) error {
	if err := r.get(tid); err != nil {
		return err
	}
	r.Regs[0] = -uint64(e)
	return r.set(tid)
}

// halve makes the call do half of the bytes that it was asked for.
func (r *callRegs) halve(tid int) error {
	r.Regs[2] /= 2
	return r.set(tid)
}
