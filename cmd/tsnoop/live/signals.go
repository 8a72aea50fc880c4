package live

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// endings are the signals that end a trace.
var endings = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// onSignal returns a context that is done at the first signal that ends a trace. These
// signals stay caught until the process exits: one that arrives when the trace has just
// ended by itself must not kill what is writing the rest, or change the exit status. It
// also makes sure that SIGUSR1, which asks for a summary, does not kill tsnoop when
// there is no summary, or none any more.
func onSignal() context.Context {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	ctx, _ := signal.NotifyContext(context.Background(), endings...)
	return ctx
}

// meantTwice is how long after the first signal another one counts as a second signal:
// timeout(1) sends two at once, and so does a terminal that is closed.
const meantTwice = time.Second

// insist calls end at a second signal, until release is called.
func insist(first context.Context, end func(s os.Signal)) (release func()) {
	again, over := make(chan os.Signal, 1), make(chan struct{})
	var ending sync.Mutex
	unlessOver := func(s os.Signal) {
		ending.Lock()
		defer ending.Unlock()
		select {
		case <-over:
		default:
			end(s)
		}
	}
	go func() {
		select {
		case <-first.Done():
		case <-over:
			return
		}
		begun := time.Now()
		signal.Notify(again, endings...)
		defer signal.Stop(again)
		for {
			select {
			case s := <-again:
				if time.Since(begun) > meantTwice {
					unlessOver(s)
				}
			case <-over:
				return
			}
		}
	}()
	return func() {
		ending.Lock()
		close(over)
		ending.Unlock()
	}
}

// endTrace ends the program although events are still in the buffers or nobody reads the
// output. The probes are removed anyway.
func (r *Run) endTrace(t *trace.Trace) func(os.Signal) {
	return func(s os.Signal) {
		r.cost.abandon()
		err := t.Close()
		r.exit(s, func() {
			if !r.shown.Load() {
				r.ui.Warn("ended by a second signal: events that were still in the buffers are not shown")
			}
			r.ui.Report(err)
		})
	}
}

// untilExit ends the program at a second signal once the trace and the traced program
// have ended, although the rest of the output, or of a recording, is not written yet.
func (r *Run) untilExit(first context.Context) {
	if r.program != nil {
		<-r.program.Done()
	}
	insist(first, func(s os.Signal) {
		r.exit(s, func() { r.ui.Warn("ended by a second signal: the output is not complete") })
	})
}

// exit ends the program with the status of a signal, after it has reported why. It does not
// wait for long: it may be stderr that nobody reads.
func (r *Run) exit(s os.Signal, report func()) {
	reported := make(chan struct{})
	go func() {
		report()
		close(reported)
	}()
	select {
	case <-reported:
	case <-time.After(meantTwice):
	}
	os.Exit(128 + int(s.(syscall.Signal)))
}
