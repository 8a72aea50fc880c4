package trace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Program is a command that is started before anything is armed. ptrace(2) holds it
// at its first instruction, so what its loader does is traced, but not what is done to
// start it.
type Program struct {
	cmd  *exec.Cmd
	held bool
	done chan struct{} // closed when it has ended
}

// Hold starts the command and holds it. Options.Pids should be its PID, with
// Options.Follow set. The calling goroutine is locked to its thread until Run or Kill,
// since ptrace obeys no other thread. If this process is killed before that, the
// program dies too. Errors include those of cmd.Start, which wrap EPERM if ptrace is
// not permitted.
func Hold(cmd *exec.Cmd) (*Program, error) {
	attr := syscall.SysProcAttr{}
	if cmd.SysProcAttr != nil {
		attr = *cmd.SysProcAttr
	}
	attr.Ptrace = true
	cmd.SysProcAttr = &attr
	runtime.LockOSThread()
	if err := cmd.Start(); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	p := &Program{cmd: cmd, held: true, done: make(chan struct{})}
	if err := p.stopped(); err != nil {
		p.Kill()
		return nil, fmt.Errorf("holding %s: %w", cmd.Path, err)
	}
	return p, nil
}

// stopped waits until the program has been loaded.
func (p *Program) stopped() error {
	pid := p.PID()
	err := error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		err = unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
	}
	if err == nil {
		err = unix.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL)
	}
	return err
}

// PID returns the process ID of the program.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Held reports whether the program is still held.
func (p *Program) Held() bool { return p.held }

// Run lets the program run, unless ctx is already done. The returned context is done
// when the program has ended or ctx is done.
func (p *Program) Run(ctx context.Context) (context.Context, error) {
	if ctx.Err() != nil {
		return ctx, nil
	}
	err := unix.PtraceDetach(p.PID())
	if err != nil && !errors.Is(err, unix.ESRCH) { // killed in the meantime
		return ctx, fmt.Errorf("letting %s run: %w", p.cmd.Path, err)
	}
	p.held = false
	runtime.UnlockOSThread()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		p.cmd.Wait()
		close(p.done)
		cancel()
	}()
	return ctx, nil
}

// Done returns a channel that is closed when the program has run and ended.
func (p *Program) Done() <-chan struct{} { return p.done }

// Signal sends a signal to the program.
func (p *Program) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Status returns the exit status as a shell reports it: 128 plus the signal's number if
// a signal has killed the program. It may be called only after Done is closed.
func (p *Program) Status() int {
	if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Kill ends a program that is still held, so that it never runs.
func (p *Program) Kill() {
	if !p.held {
		return
	}
	p.cmd.Process.Kill()
	runtime.UnlockOSThread()
	p.cmd.Wait()
	p.held = false
}
