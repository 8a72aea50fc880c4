// Package tracee starts the program that a command line names after --, and holds it with
// ptrace(2) until the trace begins.
package tracee

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
// start it, except for [Program.Restart].
type Program struct {
	cmd   *exec.Cmd
	held  bool
	first bool          // ptrace holds the command itself, at its first instruction
	again bool          // begin with execve
	gate  *os.File      // if it is not held by ptrace: it waits until this is written to
	done  chan struct{} // closed when it has ended
}

// An EndedError says that a program ended while it was being started.
type EndedError struct{ Status int }

func (e *EndedError) Error() string { return fmt.Sprintf("the program ended with status %d", e.Status) }

// Hold starts the command and holds it. Options.Pids should be its PID, with
// Options.Follow set. The calling goroutine is locked to its thread until Run or Kill,
// since ptrace obeys no other thread. If this process is killed before that, the
// program dies too. Errors include those of cmd.Start, which wrap EPERM if ptrace is
// not permitted.
func Hold(cmd *exec.Cmd) (*Program, error) {
	p, err := hold(cmd, (*Program).stopped)
	if p != nil {
		p.first = true
	}
	return p, err
}

// HoldNext is like Hold, but holds the program that the command executes. That program
// may have other rights: a set-user-ID file has its effect if this process may trace all
// users. If the command ends instead, the error is an *EndedError.
func HoldNext(cmd *exec.Cmd) (*Program, error) { return hold(cmd, (*Program).replaced) }

// HoldWaiting starts a command that waits until it can read a byte from file descriptor 3,
// and ends if there is none. It is not traced by ptrace(2), under which set-user-ID files
// have no effect for most users; what it does to execute another program is traced.
func HoldWaiting(cmd *exec.Cmd) (*Program, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	cmd.ExtraFiles = []*os.File{r}
	if err := cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	return &Program{cmd: cmd, held: true, gate: w, done: make(chan struct{})}, nil
}

func hold(cmd *exec.Cmd, ready func(*Program) error) (*Program, error) {
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
	var ended *EndedError
	if err := ready(p); errors.As(err, &ended) {
		runtime.UnlockOSThread()
		cmd.Process.Release()
		return nil, err
	} else if err != nil {
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

// replaced waits until the program has executed another one, which is then loaded.
func (p *Program) replaced() error {
	pid := p.PID()
	if err := p.stopped(); err != nil {
		return err
	}
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL|unix.PTRACE_O_TRACEEXEC); err != nil {
		return err
	}
	for started := false; ; started = true {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WALL, nil)
		signal := 0
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case status.Exited():
			return &EndedError{status.ExitStatus()}
		case status.Signaled():
			return &EndedError{128 + int(status.Signal())}
		case status.TrapCause() == unix.PTRACE_EVENT_EXEC:
			return nil
		case started:
			signal = int(status.StopSignal())
		}
		if err := unix.PtraceCont(pid, signal); err != nil && !errors.Is(err, unix.ESRCH) { // killed in the meantime
			return err
		}
	}
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
	if p.again { // without that the trace only begins later
		p.restart()
	}
	if err := p.release(); err != nil {
		return ctx, fmt.Errorf("letting %s run: %w", p.cmd.Path, err)
	}
	p.held = false
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		p.cmd.Wait()
		close(p.done)
		cancel()
	}()
	return ctx, nil
}

// release lets the program go on. It may have been killed in the meantime.
func (p *Program) release() error {
	if p.gate != nil {
		defer p.gate.Close()
		if _, err := p.gate.Write([]byte{1}); !errors.Is(err, unix.EPIPE) {
			return err
		}
		return nil
	}
	if err := unix.PtraceDetach(p.PID()); err != nil && !errors.Is(err, unix.ESRCH) {
		return err
	}
	runtime.UnlockOSThread()
	return nil
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
	if p.gate == nil {
		runtime.UnlockOSThread()
	} else {
		p.gate.Close()
	}
	p.cmd.Wait()
	p.held = false
}
