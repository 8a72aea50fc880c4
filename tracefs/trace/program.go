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

// A Program is a command that is started before anything is armed and held, by
// ptrace(2), at its first instruction: what its loader does is traced, what is done to
// start it is not.
type Program struct {
	cmd  *exec.Cmd
	held bool
	done chan struct{} // closed when it has ended
}

// Hold starts the command and holds it. Options.Pids is to be its PID, and
// Options.Follow set. Until Run or Kill the caller's goroutine stays on its thread, for
// ptrace obeys no other. Should this process be killed before, the program dies, too.
// Errors are those of cmd.Start, which wrap EPERM where ptrace is not permitted, and
// others.
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

// PID is the number of its process.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// Held tells that the program has not been let run.
func (p *Program) Held() bool { return p.held }

// Run lets the program go, unless ctx is done already. The context that it returns is
// done when the program has ended, or when ctx is.
func (p *Program) Run(ctx context.Context) (context.Context, error) {
	if ctx.Err() != nil {
		return ctx, nil
	}
	err := unix.PtraceDetach(p.PID())
	if err != nil && !errors.Is(err, unix.ESRCH) { // killed meanwhile
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

// Done is closed when the program has run and has ended.
func (p *Program) Done() <-chan struct{} { return p.done }

// Signal sends the program a signal.
func (p *Program) Signal(s os.Signal) error { return p.cmd.Process.Signal(s) }

// Status is how the program has ended, as a shell says it: its exit status, or 128 and
// the signal that has killed it. It may be asked for when Done is closed.
func (p *Program) Status() int {
	if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}

// Kill ends a program that is still held: it never runs.
func (p *Program) Kill() {
	if !p.held {
		return
	}
	p.cmd.Process.Kill()
	runtime.UnlockOSThread()
	p.cmd.Wait()
	p.held = false
}
