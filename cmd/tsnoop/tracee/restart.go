package tracee

import (
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Restart makes a program of [Hold] begin with its own execve(2) when it runs, so that
// this is also traced.
func (p *Program) Restart() { p.again = p.first }

// restart makes the program, which is held at its first instruction, do the same execve
// again. If that fails, the program goes on as it is.
func (p *Program) restart() error {
	pid := p.PID()
	var regs unix.PtraceRegs
	if err := registers(pid, &regs); err != nil {
		return err
	}
	sp, pc, ok := places(&regs)
	if !ok {
		return nil // a 32-bit program
	}
	old := make([]byte, len(doExecve))
	if _, err := unix.PtracePeekText(pid, uintptr(pc), old); err != nil {
		return err
	}
	path, argv, envp, err := p.pokeArgs(sp)
	if err != nil {
		return err
	}
	call := regs
	setCall(&call, path, argv, envp)
	if err := setRegisters(pid, &call); err != nil {
		return err
	}
	if _, err := unix.PtracePokeText(pid, uintptr(pc), doExecve); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL|unix.PTRACE_O_TRACEEXEC); err != nil {
		return err
	}
	if err := unix.PtraceCont(pid, 0); err != nil {
		return err
	}
	var status unix.WaitStatus
	for {
		if _, err = unix.Wait4(pid, &status, unix.WALL, nil); err != unix.EINTR {
			break
		}
	}
	switch {
	case err != nil:
		return err
	case !status.Stopped():
		return nil // killed
	case status.TrapCause() == unix.PTRACE_EVENT_EXEC:
		return nil
	}
	if _, err := unix.PtracePokeText(pid, uintptr(pc), old); err != nil {
		return err
	}
	return setRegisters(pid, &regs)
}

// pokeArgs writes the program's path and arguments below its stack pointer, and returns
// where these and its environment are (Initial Process Stack in the ABIs).
func (p *Program) pokeArgs(sp uint64) (path, argv, envp uint64, err error) {
	const word = 8
	count := make([]byte, word)
	if _, err := unix.PtracePeekData(p.PID(), uintptr(sp), count); err != nil {
		return 0, 0, 0, err
	}
	envp = sp + word*(binary.NativeEndian.Uint64(count)+2) // after argc, argv and its NULL
	texts := append([]string{p.cmd.Path}, p.cmd.Args...)
	size := word * (len(texts) + 1)
	for _, text := range texts {
		size += len(text) + 1
	}
	size = (size + 2*word - 1) &^ (2*word - 1)
	if page := os.Getpagesize(); size > 16*page {
		return 0, 0, 0, fmt.Errorf("%d bytes of arguments", size)
	}
	base := sp - uint64(size)
	block := make([]byte, size)
	end := word * len(texts) // of the pointers and the NULL
	for i, text := range texts {
		at := base + uint64(end)
		end += copy(block[end:], text) + 1
		if i == 0 {
			path = at
			continue
		}
		binary.NativeEndian.PutUint64(block[word*(i-1):], at)
	}
	_, err = unix.PtracePokeData(p.PID(), uintptr(base), block)
	return path, base, envp, err
}
