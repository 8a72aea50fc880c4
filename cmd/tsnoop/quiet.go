package main

import (
	"os"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/tracefs/trace"
	"golang.org/x/term"
)

// quietAfter is how long nothing may come until it is said why.
const quietAfter = 5 * time.Second

// whyQuiet says once why no call comes, if none has after a while, until stop is
// called: to somebody who looks at a terminal, or who wants to know all.
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
