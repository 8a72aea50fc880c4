package main

import "golang.org/x/sys/unix"

const sysFstatat = unix.SYS_NEWFSTATAT

// callRegs holds the registers of a thread that is stopped at a system call.
type callRegs struct{ unix.PtraceRegs }

func (r *callRegs) get(tid int) error { return unix.PtraceGetRegs(tid, &r.PtraceRegs) }

func (r *callRegs) nr() uint64 { return r.Orig_rax }

func (r *callRegs) arg(i int) uint64 { return [...]uint64{r.Rdi, r.Rsi, r.Rdx}[i] }

// skip skips the call; the thread gets the result.
func (r *callRegs) skip(tid int, result int64) error {
	r.Orig_rax, r.Rax = ^uint64(0), uint64(result)
	return unix.PtraceSetRegs(tid, &r.PtraceRegs)
}

// fail makes a call that was carried out return an error.
func (r *callRegs) fail(tid int, e unix.Errno) error {
	if err := r.get(tid); err != nil {
		return err
	}
	r.Rax = -uint64(e)
	return unix.PtraceSetRegs(tid, &r.PtraceRegs)
}

// halve makes the call do half of the bytes that it was asked for.
func (r *callRegs) halve(tid int) error {
	r.Rdx /= 2
	return unix.PtraceSetRegs(tid, &r.PtraceRegs)
}
