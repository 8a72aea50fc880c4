package terminal

import (
	"fmt"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plural"
)

const (
	// Fewer probes than few are armed quickly: they need no progress.
	few = 20
	// slow is how long a step may take before it is reported.
	slow = time.Second
	// redraw is how often the line on a terminal is updated.
	redraw = 100 * time.Millisecond
)

// A Progress reports how the arming and removing of many probes go: on a terminal in a
// line that is overwritten, elsewhere in one line if it takes long.
type Progress struct {
	ui       *UI
	terminal bool

	mu    sync.Mutex
	doing string // "enabling" or "removing"
	timer *time.Timer
	drawn time.Time
}

// NewProgress returns a Progress that has nothing to report yet.
func (u *UI) NewProgress() *Progress {
	return &Progress{ui: u, terminal: u.Terminal && !u.Verbose && !dumb()}
}

// Step receives the progress of arming and removing: see trace.Options.
func (p *Progress) Step(doing string, n, all int) {
	now := doing + " " + plural.Of(all, "probe")
	switch doing {
	case "arming":
		p.draw("enabling", all, "enabling "+plural.Of(all, "function"), fmt.Sprintf("enabling %d of %s", n+1, plural.Of(all, "function")))
	case "enabling":
		p.draw("enabling", all, now, now)
	case "disabling":
		// Lines of data are still being written, perhaps to the same terminal.
		p.draw("removing", all, "removing "+plural.Of(all, "probe"), "")
	case "removing":
		p.draw("removing", all, now, now)
	}
}

// draw reports a new step if it takes long, and draws its progress.
func (p *Progress) draw(doing string, many int, once, now string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if doing != p.doing {
		if many < few {
			return
		}
		p.stop()
		p.doing = doing
		if !p.terminal || now == "" {
			p.timer = time.AfterFunc(slow, func() { p.ui.Warn("%s...", once) })
		}
	}
	if p.terminal && now != "" && time.Since(p.drawn) >= redraw {
		p.timer, p.drawn = p.halt(), time.Now()
		p.ui.draw(p.ui.prefix() + now + "...")
	}
}

// halt stops the timer, since what it would report is drawn.
func (p *Progress) halt() *time.Timer {
	if p.timer != nil {
		p.timer.Stop()
	}
	return nil
}

// stop ends the current step. The caller holds p.mu.
func (p *Progress) stop() {
	p.timer = p.halt()
	p.doing, p.drawn = "", time.Time{}
	p.ui.draw("")
}

// End is called when everything is armed, and when everything is removed.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
}

// Watch reports on a terminal, each second, what is being done, until stop is called.
// It reports nothing if that takes less.
func (u *UI) Watch(now func() string) (stop func()) {
	if !u.Terminal || dumb() {
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
				u.draw(u.prefix() + now())
			}
		}
	})
	return func() {
		close(over)
		done.Wait()
		u.draw("")
	}
}

// Percent returns n as a percentage of all bytes. It returns at most 99%, since the
// work is not over.
func Percent(n, all uint64) string {
	return fmt.Sprintf("%d%% of %.1f MiB", min(uint64(float64(n)/float64(max(all, 1))*100), 99), float64(all)/(1<<20))
}
