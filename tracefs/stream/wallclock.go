package stream

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A wallStep is a time from which on the clock of the host is another one.
type wallStep struct {
	From uint64 // ns on the trace clock
	Add  int64  // ns to add to the trace clock to get the time since 1970
}

// A WallClock converts times of the trace clock to the time of day, as it was then on the
// host. Its methods may be called from any goroutine.
type WallClock struct {
	steps atomic.Pointer[[]wallStep] // the first is from the beginning; nil if it is not known
	shown int                        // steps that the reader of the events has passed
}

// Set notes that the clock is add ns before the trace clock from a time on.
func (w *WallClock) Set(from uint64, add int64) {
	var steps []wallStep
	if p := w.steps.Load(); p != nil {
		steps = *p
	}
	steps = append(slices.Clip(steps), wallStep{from, add})
	w.steps.Store(&steps)
}

// all returns the steps, the first of which is from the beginning.
func (w *WallClock) all() []wallStep {
	if p := w.steps.Load(); p != nil {
		return *p
	}
	return nil
}

// At returns what to add to a time of the trace clock.
func (w *WallClock) At(now uint64) int64 {
	steps := w.all()
	for i := len(steps) - 1; i > 0; i-- {
		if steps[i].From <= now {
			return steps[i].Add
		}
	}
	if len(steps) == 0 {
		return 0
	}
	return steps[0].Add
}

// When returns the first and the last time on the trace clock at which the clock of the host
// showed wall, in ns since 1970: where it was set back, it showed some times twice. A time that
// was left out because it was set forward is that of the step.
func (w *WallClock) When(wall int64) (first, last uint64) {
	for i, step := range w.all() {
		at := uint64(max(wall-step.Add, 0))
		if i == 0 {
			first, last = at, at
			continue
		}
		if first >= step.From { // it had not come to wall before
			first = max(at, step.From)
		}
		if at >= step.From {
			last = at
		} else {
			last = min(last, step.From)
		}
	}
	return first, last
}

// leastStep is the smallest step that is reported. Reading both clocks takes a while, so
// smaller ones may be none.
const leastStep = time.Millisecond

// pass calls tell for each step up to now that it has not been called for.
func (w *WallClock) pass(now uint64, report func(tracefs.Interference)) {
	steps := w.all()
	for w.shown = max(w.shown, 1); w.shown < len(steps) && steps[w.shown].From <= now; w.shown++ {
		step, before := steps[w.shown], steps[w.shown-1].Add
		by, way := time.Duration(step.Add-before), "forward"
		if by < 0 {
			by, way = -by, "back"
		}
		if by < leastStep || report == nil {
			continue
		}
		stamp := func(add int64) string { return time.Unix(0, int64(step.From)+add).Format("2006-01-02 15:04:05.000000") }
		report(tracefs.Interference{
			Text:   fmt.Sprintf("the clock was set %s by %s: times follow it from here on", way, by.Round(time.Microsecond)),
			Before: stamp(before), After: stamp(step.Add),
		})
	}
}
