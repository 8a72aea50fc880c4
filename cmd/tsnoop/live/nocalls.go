package live

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/tracefs/trace"
)

// noCallsAfter is how long to wait for a call before explaining why there is none.
const noCallsAfter = 5 * time.Second

// ExplainNoCalls explains once why no call comes, if none has come after a while and stop was
// not called. It does so only if stderr is a terminal, or with --verbose.
func ExplainNoCalls(t *trace.Trace, ui *terminal.UI) (stop func()) {
	if !ui.Terminal && !ui.Verbose {
		return func() {}
	}
	var over atomic.Bool
	timer := time.AfterFunc(noCallsAfter, func() {
		for _, text := range t.WhyNoCalls() {
			if !over.Load() {
				ui.Warn("no call yet: %s", text)
			}
		}
	})
	return func() {
		over.Store(true)
		timer.Stop()
	}
}

// ExplainNone explains why the trace has come to its end, of the program or of the time that was
// asked for, without a call that is shown. ctx is that of the trace.
func (r *Run) ExplainNone(ctx context.Context, t *trace.Trace) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) && !r.program.hasEnded() {
		return
	}
	for _, text := range t.WhyNoCallsAtEnd() {
		r.ui.Warn("no call: %s", text)
	}
}
