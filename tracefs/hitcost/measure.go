package hitcost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/abi"
	"github.com/tsnoop/tsnoop/tracefs"
)

// ErrInterrupted is returned by Measure if its context is done before it is.
var ErrInterrupted = errors.New("interrupted")

// patience is how long Measure waits for a process that changes probes.
const patience = 2 * time.Second

// Measure measures test probes in sessions of its own, which it removes. It takes some ten
// milliseconds, and as long as the kernel takes to enable and remove six probes; twice that
// if pids says that only some tasks are traced.
func Measure(ctx context.Context, fs *tracefs.FS, pids bool) (*Costs, error) {
	if fs == nil {
		return nil, errors.New("tracefs cannot be read")
	}
	if err := fs.CheckKprobes(); err != nil {
		return nil, err
	}
	arch := abi.Named("")
	if arch == nil {
		return nil, errors.New("the architecture is unknown")
	}
	c := &Costs{pids: pids}
	m := &measurement{symbol: arch.Syscalls[0].Prefixes[0] + function}
	var err error
	if c.traced, err = m.rates(ctx, fs, false); err == nil && pids {
		c.skipped, err = m.rates(ctx, fs, true)
		c.skipped.value, c.skipped.read, c.skipped.text = 0, 0, 0 // nothing is fetched
	}
	c.took = m.took
	return c, err
}

// A measurement is one run through the stages.
type measurement struct {
	session *tracefs.Session
	caller  *caller
	symbol  string
	took    time.Duration // all calls so far
}

// rates measures the rates of a task that is traced, or is skipped since another one is.
func (m *measurement) rates(ctx context.Context, fs *tracefs.FS, skipped bool) (r rates, err error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := fs.AwaitLock(wait, func(string) {}); err != nil {
		if ctx.Err() != nil {
			return r, ErrInterrupted
		}
		return r, fmt.Errorf("another process is changing probes: %w", err)
	}
	m.caller = newCaller()
	defer m.caller.end()
	o := tracefs.Options{BufferKB: 64}
	if tracefs.InitPIDNamespace() { // a trace also has a list of tasks, if only of its own
		o.Pids = []int{m.caller.tid}
		if skipped {
			o.Pids = []int{1}
		}
	}
	if m.session, err = fs.NewSession(o); err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, m.session.Close()) }()
	calls, err := m.run(ctx)
	return ratesOf(added(calls)), err
}

func (m *measurement) run(ctx context.Context) (calls [len(stages)]took, err error) {
	for i := range stages {
		if ctx.Err() != nil {
			return calls, ErrInterrupted
		}
		if err := m.enable(ctx, i); err != nil {
			return calls, err
		}
		start := time.Now()
		calls[i] = m.caller.run()
		m.took += time.Since(start)
	}
	if err := m.session.Stop(); err != nil {
		return calls, err
	}
	return calls, m.check()
}

// enable enables the test probe of a stage, in addition to those before.
func (m *measurement) enable(ctx context.Context, i int) error {
	group := m.session.Group()
	if err := m.session.Define(tracefs.KprobeEvents, stages[i].definition(group, m.symbol)); err != nil {
		return err
	}
	if i == 0 {
		return m.session.Enable(ctx)
	}
	return m.session.Resume([]string{stages[i].event(group)})
}

// check compares the kernel's counts with the calls made. Other tasks may have called too,
// which does not change how long our calls took.
func (m *measurement) check() error {
	hits, err := m.session.Profile()
	if err != nil {
		return err
	}
	for i := range stages {
		made := uint64(len(stages)-i) * batches * perBatch
		if h := hits[stages[i].event(m.session.Group())]; h.Hits < made || h.Misses > 0 {
			return fmt.Errorf("test probes were hit by %d of %d calls of %s", h.Hits, made, m.symbol)
		}
	}
	return nil
}
