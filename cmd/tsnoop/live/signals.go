package live

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// endings are the signals that end a trace.
var endings = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// onSignal returns a context that is done at the first signal that ends a trace. It
// also makes sure that SIGUSR1, which asks for a summary, does not kill tsnoop when
// there is no summary, or none any more.
func onSignal() (context.Context, func()) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	return signal.NotifyContext(context.Background(), endings...)
}

// meantTwice is how long after the first signal another one counts as a second signal:
// timeout(1) sends two at once, and so does a terminal that is closed.
const meantTwice = time.Second

// insist ends the program at a second signal, even if events are still in the buffers
// or nobody reads the output. The probes are removed all the same. After release,
// signals do not do that any more.
func insist(first context.Context, t *trace.Trace, ui *terminal.UI) (release func()) {
	again, over := make(chan os.Signal, 1), make(chan struct{})
	var ending sync.Mutex
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
					endNow(s, t, ui, &ending, over)
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

// endNow ends the program, unless release was called.
func endNow(s os.Signal, t *trace.Trace, ui *terminal.UI, ending *sync.Mutex, over <-chan struct{}) {
	ending.Lock()
	defer ending.Unlock()
	select {
	case <-over:
		return
	default:
	}
	err := t.Close()
	ui.Warn("ended by a second signal: what was still in the buffers is not shown")
	ui.Report(err)
	os.Exit(128 + int(s.(syscall.Signal)))
}
