package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// A program is the command behind --. It is started before anything is armed
// and held, by ptrace(2), at its first instruction: what its loader does is
// traced, what tsnoop does to start it is not. A nil program is none.
type program struct {
	cmd     *exec.Cmd
	ui      *ui
	held    bool
	signals chan os.Signal
	done    chan struct{} // closed when it has ended
}

// An exitStatus ends tsnoop with the status of its program. All that is to be
// said has been said.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// hold starts the program and holds it. From then on it is what is traced.
// Until run or end the caller's goroutine stays on its thread, for ptrace
// obeys no other.
func hold(o *options, ui *ui) (*program, error) {
	if len(o.program) == 0 {
		return nil, nil
	}
	cmd := exec.Command(o.program[0], o.program[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	runtime.LockOSThread()
	if err := cmd.Start(); err != nil {
		runtime.UnlockOSThread()
		return nil, cannotRun(o.program[0], err)
	}
	p := &program{cmd: cmd, ui: ui, held: true, signals: make(chan os.Signal, 8), done: make(chan struct{})}
	if err := p.stopped(); err != nil {
		return nil, p.end(err)
	}
	// Not before the start: what tsnoop has been told to ignore (nohup) its
	// program shall ignore, too.
	signal.Notify(p.signals, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP)
	o.pids, o.follow = []int{cmd.Process.Pid}, true
	return p, nil
}

// cannotRun is why a program has not been started.
func cannotRun(name string, err error) error {
	if errors.Is(err, unix.EPERM) {
		return &tracefs.MachineError{
			Msg:  "ptrace(2) is not permitted here, and without it no program can be held until the trace is armed",
			Cure: "start it yourself and trace it as it runs: tsnoop -f -p PID SPEC", Err: err,
		}
	}
	var found *exec.Error
	var start *os.PathError
	switch {
	case errors.As(err, &found):
		err = found.Err
	case errors.As(err, &start):
		err = start.Err
	}
	return usagef("tsnoop SPEC... -- COMMAND [ARG...]", "cannot run %s: %v", name, err)
}

// stopped waits until the program has been loaded. Should tsnoop be killed
// before it lets it run, it dies, too.
func (p *program) stopped() error {
	pid := p.cmd.Process.Pid
	err := error(unix.EINTR)
	for errors.Is(err, unix.EINTR) {
		err = unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
	}
	if err == nil {
		err = unix.PtraceSetOptions(pid, unix.PTRACE_O_EXITKILL)
	}
	if err != nil {
		return fmt.Errorf("holding %s: %w", p.cmd.Path, err)
	}
	return nil
}

// run lets the program go. The context is done when it has ended, or when the
// one given is.
func (p *program) run(ctx context.Context) (context.Context, error) {
	if p == nil {
		return ctx, nil
	}
	err := unix.PtraceDetach(p.cmd.Process.Pid)
	if err != nil && !errors.Is(err, unix.ESRCH) { // killed meanwhile
		return ctx, fmt.Errorf("letting %s run: %w", p.cmd.Path, err)
	}
	p.held = false
	runtime.UnlockOSThread()
	go func() {
		p.cmd.Wait()
		close(p.done)
	}()
	go p.passSignals()
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		<-p.done
		cancel()
	}()
	return ctx, nil
}

// passSignals hands on what is sent to tsnoop alone. What the terminal sends,
// the program gets by itself; for tsnoop it ends only the trace.
func (p *program) passSignals() {
	for {
		select {
		case <-p.done:
			return
		case s := <-p.signals:
			if s == unix.SIGTERM || s == unix.SIGHUP {
				p.cmd.Process.Signal(s)
			}
		}
	}
}

// end waits for the program and returns its exit status, 128 and the signal if
// one has killed it, as a shell does. If it is still held it never runs.
// err is tsnoop's own, which is said at once.
func (p *program) end(err error) error {
	if p == nil {
		return err
	}
	defer signal.Stop(p.signals)
	if p.held {
		p.cmd.Process.Kill()
		runtime.UnlockOSThread()
		p.cmd.Wait()
		return err
	}
	status := p.ui.report(err)
	<-p.done
	if err == nil {
		status = p.status()
	}
	if status == 0 {
		return nil
	}
	return exitStatus(status)
}

func (p *program) status() int {
	if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.cmd.ProcessState.ExitCode()
}
