package sum

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs/plan"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Summing sums up calls. It shows the sum of all calls on request and at the end, and
// for each interval the sum of its calls.
type Summing struct {
	Options
	opts  render.Options
	over  chan struct{}
	ticks sync.WaitGroup

	mu       sync.Mutex // for all below
	tallies  []*tally   // one for each source
	classes  classes    // of the sources
	sums     *Sums
	lost     lossCount // since the start
	lostLate lossCount // in the current interval
	done     bool
	gone     bool // Print has returned false
}

// Options say what is summed up and when it is shown.
type Options struct {
	Interval time.Duration    // 0 for no intervals
	Start    uint64           // ns on the trace clock
	Order    binary.ByteOrder // of the records; nil for little endian

	Sort Order
	// By says what has rows of its own, besides the function: each is one of KeyWords, or
	// the text of one of the plans' Measures that are not Numbers, in their order.
	By   []string
	Host string // the value of ByHost, unless sources are of several recordings
	// Process returns the process that a thread belongs to, if it is known. It may be nil.
	Process func(tid int) (pid int, ok bool)
	// Symbol is render.Options.Symbol, for callers and stacks.
	Symbol func(addr uint64) (name, module string, off uint64, ok bool)
	// SwitchedOff returns since when calls of a plan are not recorded any more that begin
	// between two times, nil if all are. It may be nil.
	SwitchedOff func(p *plan.Plan, from, to uint64) *tracefs.SwitchOff
	// Numbers are the texts of the Measures that are Numbers. Bare leaves out the
	// histograms of durations, Asked those of functions whose return value is not shown.
	Numbers []string
	Bare    bool
	Asked   bool
	Heat    bool // intervals are rows of a heat map of durations, the last one too

	// Now returns the time on the trace clock in ns. It is nil for a recording; then the
	// calls themselves say what time it is.
	Now func() uint64

	// Print shows a summary, and reports whether more are wanted. If not, Gone is called
	// once, unless it is nil.
	Print func(*Summary) bool
	Gone  func()
}

// NewSumming starts to sum up the calls of the sources. End stops it.
func NewSumming(from []render.Source, o Options) *Summing {
	s := &Summing{Options: o, over: make(chan struct{})}
	s.opts = render.Options{Order: o.Order, Symbol: o.Symbol}
	s.tallies = newTallies(from, &s.Options, &s.opts)
	s.classes.add(s.tallies)
	s.sums = NewSums(len(s.classes.all), o.Start)
	if s.Interval > 0 && s.Now != nil {
		s.ticks.Go(s.tick)
	}
	return s
}

// tick shows each interval of a live trace.
func (s *Summing) tick() {
	ticker := time.NewTicker(s.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.mu.Lock()
			s.next(s.Now())
			s.mu.Unlock()
		case <-s.over:
			return
		}
	}
}

// Add adds a call that is over. It reports whether more are wanted.
func (s *Summing) Add(c *calls.Call) bool {
	if c.Begun {
		return true
	}
	s.mu.Lock() // without defer, which would take a tenth of the time
	t := s.tallies[c.Plan]
	at := t.from.At(c.Last().Time)
	if s.Now == nil && s.Interval > 0 {
		s.sums.CatchUp(at, uint64(s.Interval), s.next)
	}
	s.sums.Add(s.classes.of[c.Plan], at, c, t.of(c))
	more := !s.gone
	s.mu.Unlock()
	return more
}

// Lose counts the events that were lost before e.
func (s *Summing) Lose(e *tracefs.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost.add(e)
	s.lostLate.add(e)
}

// Grow adds sources. show must add them to the sink that Print uses.
func (s *Summing) Grow(further []render.Source, show func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	show()
	tallies, before := newTallies(further, &s.Options, &s.opts), len(s.classes.all)
	s.classes.add(tallies)
	s.sums.Grow(len(s.classes.all) - before)
	s.tallies = append(s.tallies, tallies...)
}

// Whole shows the sum of all calls since the start.
func (s *Summing) Whole() { s.whole(false) }

// End shows the last summary. After it, Whole shows nothing.
func (s *Summing) End() {
	close(s.over)
	s.ticks.Wait()
	s.whole(true)
}

func (s *Summing) whole(final bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	s.done = final
	if final && s.Heat {
		s.rest()
	}
	all, start, last := s.sums.All()
	if s.Now != nil {
		last = s.Now()
	}
	s.print(&Summary{Sums: all, From: start, To: last, Final: final, lossCount: s.lost})
}

// rest shows the current interval as far as it has come.
func (s *Summing) rest() {
	sums, _ := s.sums.Interval()
	for i := range sums {
		if sums[i].Calls > 0 {
			_, _, end := s.sums.All()
			if s.Now != nil {
				end = s.Now()
			}
			s.next(end)
			return
		}
	}
}

// next shows the current interval and begins the next one. now is the time on the trace
// clock in ns.
func (s *Summing) next(now uint64) {
	sums, since := s.sums.Interval()
	s.print(&Summary{Sums: sums, From: since, To: now, Interval: true, Heat: s.Heat, lossCount: s.lostLate})
	s.lostLate = lossCount{}
	s.sums.Next(now)
}

func (s *Summing) print(what *Summary) {
	what.Order, what.By, what.Numbers, what.tallies, what.classes = s.Sort, s.By, s.Numbers, s.tallies, s.classes.all
	what.Bare, what.Asked, what.SwitchedOff = s.Bare, s.Asked, s.SwitchedOff
	what.Every = uint64(s.Interval)
	if !s.Print(what) && !s.gone {
		s.gone = true
		if s.Gone != nil {
			s.Gone()
		}
	}
}
