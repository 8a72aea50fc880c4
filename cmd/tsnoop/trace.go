package main

import (
	"context"
	"encoding/binary"
	"iter"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/proc"
	"github.com/tsnoop/tsnoop/tracefs/read"
	"github.com/tsnoop/tsnoop/tracefs/text"
	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/sys/unix"
)

var order = binary.NativeEndian

// A liveTrace is an armed session with all that is needed to understand its events.
type liveTrace struct {
	reading
	machine  *trace.Machine
	session  *tracefs.Session
	progress *progress
	ranges   proc.Ranges // of the kernel's addresses, nil if not known

	clock     int32 // the trace clock's number for clock_gettime
	clockName string
}

// learnFormats reads how the kernel lays out the records.
func (t *liveTrace) learnFormats(stacks bool) error {
	t.loadMapped()
	if err := t.learnProbes(); err != nil {
		return err
	}
	if stacks {
		f, err := t.session.StackFormat()
		if err != nil {
			return err
		}
		t.learnStacks(f)
	}
	if t.kin == nil {
		return nil
	}
	f, err := t.session.NewTaskFormat()
	if err != nil {
		return err
	}
	return t.learnNewTasks(f)
}

func (t *liveTrace) learnProbes() error {
	probes := fetchargs.Probes(t.plans)
	events := make([]string, len(probes))
	shapes := make(map[string]string, len(probes))
	for i, p := range probes {
		events[i] = p.Event
		shapes[p.Event] = p.Shape()
	}
	formats, err := t.session.Formats(events, func(event string) string { return shapes[event] })
	if err != nil {
		return err
	}
	for _, p := range probes {
		if err := t.learn(p, formats[p.Event]); err != nil {
			return err
		}
	}
	return nil
}

// loadMapped learns which kernel addresses can be read at all.
func (t *liveTrace) loadMapped() {
	guarded := false
	for _, p := range fetchargs.Probes(t.plans) {
		for _, f := range p.Fields {
			guarded = guarded || len(f.Guards) > 0
		}
	}
	if !guarded {
		return
	}
	ranges, err := proc.LoadRanges()
	if err != nil {
		t.ui.detail("%v: wild pointers are told from good ones by their upper bits only", err)
		return
	}
	t.ranges, t.mapped = ranges, ranges.Contains
}

func (t *liveTrace) loadSymbols() *proc.Symbols {
	list, err := t.machine.Kallsyms() // which the names of the specs were looked up in already
	var s *proc.Symbols
	if err == nil {
		s, err = proc.ParseSymbols(list)
	}
	if err != nil {
		t.ui.warn("functions are shown as numbers: %v", err)
	}
	return s
}

// read yields the events of the trace; idle is called when there are none now.
func (t *liveTrace) read(ctx context.Context, o *options, idle func()) iter.Seq2[*tracefs.Event, error] {
	if o.reader == "text" {
		return text.Read(ctx, t.session, text.Options{Formats: t.formats, Addr: t.address, Order: order, Idle: idle})
	}
	events := read.Live(ctx, t.session, read.Options{Formats: t.formats, Damaged: t.damaged, Idle: idle}, t.now)
	return t.kin.own(t.withStacks(events))
}

// now is the time on the trace clock in ns.
func (t *liveTrace) now() uint64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(t.clock, &ts); err != nil {
		return 0
	}
	return uint64(ts.Nano())
}

// wallClock is what to add to the trace clock to get the time since 1970, ns.
func (t *liveTrace) wallClock() int64 { return time.Now().UnixNano() - int64(t.now()) }

// onSignal is done at the first SIGINT, SIGTERM, SIGHUP or SIGQUIT. A second
// one does not wait for what is still in the buffers. SIGUSR1, which asks for a
// summary, kills nothing where there is none, or none any more.
func onSignal() (context.Context, func()) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	return signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
}
