package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// endings are the signals that end a trace.
var endings = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

// onSignal is done at the first signal that ends a trace. SIGUSR1, which asks for a
// summary, kills nothing where there is none, or none any more.
func onSignal() (context.Context, func()) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGUSR1)
	return signal.NotifyContext(context.Background(), endings...)
}

// insist ends the program at a second signal, though events are still in the buffers or
// nobody reads what is shown of them. The probes are removed all the same. After release no
// signal does that.
func insist(first context.Context, t *trace.Trace, ui *ui) (release func()) {
	again, over := make(chan os.Signal, 1), make(chan struct{})
	var ending sync.Mutex
	go func() {
		select {
		case <-first.Done():
		case <-over:
			return
		}
		signal.Notify(again, endings...)
		defer signal.Stop(again)
		select {
		case s := <-again:
			ending.Lock()
			select {
			case <-over: // it has just ended by itself
				return
			default:
			}
			err := t.Close()
			ui.warn("ended by a second signal: what was still in the buffers is not shown")
			ui.report(err)
			os.Exit(128 + int(s.(syscall.Signal)))
		case <-over:
		}
	}()
	return func() {
		ending.Lock()
		close(over)
		ending.Unlock()
	}
}
