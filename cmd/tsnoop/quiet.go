package main

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/term"
)

// quietAfter is how long to wait for a call before explaining why there is none.
const quietAfter = 5 * time.Second

// whyQuiet explains once why no call comes, if none has come after a while and stop was
// not called. It does so only if stderr is a terminal, or with --verbose.
func whyQuiet(t *trace.Trace, after time.Duration, ui *ui) (stop func()) {
	watched := ui.stderr == os.Stderr && term.IsTerminal(int(os.Stderr.Fd()))
	if !watched && !ui.verbose {
		return func() {}
	}
	var over atomic.Bool
	timer := time.AfterFunc(after, func() {
		for _, text := range t.Quiet() {
			if !over.Load() {
				ui.warn("no call yet: %s", text)
			}
		}
	})
	return func() {
		over.Store(true)
		timer.Stop()
	}
}
