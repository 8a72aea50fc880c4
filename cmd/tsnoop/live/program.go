package live

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/tracee"
	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// A program is the command after --. A nil one means that there is none.
type program struct {
	*tracee.Program
	name    string
	signals chan os.Signal
}

// hold starts the program and holds it until run: see tracee.Hold. It also sets the
// options to trace the program.
func hold(o *flags.Options) (*program, error) {
	if len(o.Program) == 0 {
		return nil, nil
	}
	cmd := exec.Command(o.Program[0], o.Program[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	held, err := start(cmd, o.User)
	var ended *tracee.EndedError
	if errors.As(err, &ended) {
		return nil, terminal.ExitStatus(ended.Status) // it has reported why
	} else if cmd.Process == nil {
		return nil, cannotRun(o.Program[0], err)
	} else if err != nil {
		return nil, err
	}
	p := &program{Program: held, name: o.Program[0], signals: make(chan os.Signal, 8)}
	// Only after the start: the program must also ignore the signals that tsnoop was made
	// to ignore (nohup).
	signal.Notify(p.signals, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP)
	o.Trace.Pids, o.Trace.Follow = []int{p.PID()}, true
	return p, nil
}

// start starts the program as a user, or as whoever runs tsnoop, and holds it.
func start(cmd *exec.Cmd, user string) (*tracee.Program, error) {
	switch {
	case cmd.Err != nil:
		return nil, cmd.Err
	case user != "":
		if err := becoming(cmd, user); err != nil {
			return nil, err
		}
		return tracee.HoldNext(cmd)
	case setsID(cmd.Path) && !mayTraceRoot():
		waiting(cmd)
		return tracee.HoldWaiting(cmd)
	}
	return tracee.Hold(cmd)
}

// cannotRun explains why a program was not started.
func cannotRun(name string, err error) error {
	if errors.Is(err, unix.EPERM) {
		return &tracefs.HostError{
			Msg:  "ptrace(2) is not permitted here, and without it no program can be held until the trace begins",
			Hint: "start it yourself and trace it as it runs: tsnoop -f -p PID SPEC", Err: err,
		}
	}
	var own *tracefs.HostError
	if errors.As(err, &own) {
		return own
	}
	var found *exec.Error
	var start *os.PathError
	switch {
	case errors.As(err, &found):
		err = found.Err
	case errors.As(err, &start):
		err = start.Err
	}
	return flags.Errorf("run tsnoop SPEC... -- COMMAND [ARG...]", "cannot run %s: %v", name, err)
}

// run lets the program run: see tracee.Program.Run.
func (p *program) run(ctx context.Context) (context.Context, error) {
	if p == nil {
		return ctx, nil
	}
	ctx, err := p.Run(ctx)
	if !p.Held() {
		go p.passSignals()
	}
	return ctx, err
}

// hasEnded reports whether the program has run to its end.
func (p *program) hasEnded() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// neverRan reports that a signal ended the trace before the program ran, and returns the
// exit status of a program that this signal has ended. The signal reaches p.signals, but
// perhaps a moment after the trace.
func (p *program) neverRan(ui *terminal.UI) error {
	s := <-p.signals
	ui.Warn("%s was not run: %v", p.name, s)
	return terminal.ExitStatus(128 + int(s.(unix.Signal)))
}

// passSignals forwards the signals that are sent to tsnoop alone. The program itself
// gets those from the terminal; for tsnoop they only end the trace.
func (p *program) passSignals() {
	for {
		select {
		case <-p.Done():
			return
		case s := <-p.signals:
			if s == unix.SIGTERM || s == unix.SIGHUP {
				p.Signal(s)
			}
		}
	}
}

// end waits for the program and returns its exit status as a shell does: 128 plus the
// signal's number if a signal has killed it. A program that is still held never runs, and
// that is not success: without an error, a signal has ended the trace. err is tsnoop's own
// error, which is reported at once.
func (p *program) end(err error, ui *terminal.UI) error {
	if p == nil {
		return err
	}
	if p.Held() {
		p.Kill()
		if err != nil {
			return err
		}
		return p.neverRan(ui)
	}
	status := ui.Report(err)
	<-p.Done()
	if err == nil {
		status = p.Status()
	}
	if status == 0 {
		return nil
	}
	return terminal.ExitStatus(status)
}
