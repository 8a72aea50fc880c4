package main

import (
	"fmt"
	"sync"
	"time"
)

const (
	// few probes are quickly armed: nothing is said of them.
	few = 20
	// slow is how long a step may take before it is mentioned.
	slow = time.Second
	// redraw is how often a terminal's line is written anew.
	redraw = 100 * time.Millisecond
)

// A progress says how the arming and the removing of many probes go: on a
// terminal in one line that is written over, elsewhere in one line if it takes
// long.
type progress struct {
	ui       *ui
	terminal bool

	mu    sync.Mutex
	doing string // "arming" or "removing"
	timer *time.Timer
	drawn time.Time
}

func newProgress(ui *ui) *progress {
	return &progress{ui: ui, terminal: ui.terminal && !ui.verbose}
}

// step is told how the arming and the removing go: see trace.Options.
func (p *progress) step(doing string, n, all int) {
	now := fmt.Sprintf("%s %d probes", doing, all)
	switch doing {
	case "arming":
		p.draw("arming", all, fmt.Sprintf("arming %d functions", all), fmt.Sprintf("arming %d of %d functions", n+1, all))
	case "enabling":
		p.draw("arming", all, now, now)
	case "disabling":
		// Lines of data are still being written, to the same terminal maybe.
		p.draw("removing", all, fmt.Sprintf("removing %d probes", all), "")
	case "removing":
		p.draw("removing", all, now, now)
	}
}

// draw mentions a new thing to do if that takes long, and draws how it goes.
func (p *progress) draw(doing string, many int, once, now string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if doing != p.doing {
		if many < few {
			return
		}
		p.stop()
		p.doing = doing
		if !p.terminal || now == "" {
			p.timer = time.AfterFunc(slow, func() { p.ui.warn("%s...", once) })
		}
	}
	if p.terminal && now != "" && time.Since(p.drawn) >= redraw {
		p.timer, p.drawn = p.halt(), time.Now()
		p.ui.draw("tsnoop: " + now + "...")
	}
}

// halt stops the timer, for what it would say is drawn.
func (p *progress) halt() *time.Timer {
	if p.timer != nil {
		p.timer.Stop()
	}
	return nil
}

// stop ends what was being done. p.mu is held.
func (p *progress) stop() {
	p.timer = p.halt()
	p.doing, p.drawn = "", time.Time{}
	p.ui.draw("")
}

// end is called when all is armed, and when all is removed.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
}

// watch says on a terminal each second what is being done, until it is stopped: nothing
// if that takes less.
func (u *ui) watch(now func() string) (stop func()) {
	if !u.terminal {
		return func() {}
	}
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(slow)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				u.draw("tsnoop: " + now())
			}
		}
	})
	return func() {
		close(over)
		done.Wait()
		u.draw("")
	}
}

// percent is how much n is of all, which is not said to be over before it is.
func percent(n, all uint64) string {
	return fmt.Sprintf("%d%% of %.1f MiB", min(uint64(float64(n)/float64(max(all, 1))*100), 99), float64(all)/(1<<20))
}
