package render

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Summing adds up calls and shows what they come to: when it is asked to and at the end
// all since the start, and every interval those since the one before.
type Summing struct {
	SummingOptions
	opts  Options
	over  chan struct{}
	ticks sync.WaitGroup

	mu       sync.Mutex // for all below
	tallies  []*tally   // of each source
	sums     *calls.Sums
	lost     lossCount // since the start
	lostLate lossCount // in the current interval
	done     bool
	gone     bool // nobody wants more
}

// SummingOptions say what is added up and when it is shown.
type SummingOptions struct {
	Interval time.Duration    // 0 for none
	Start    uint64           // ns on the trace clock
	Order    binary.ByteOrder // of the records; nil for little endian

	Sort Order
	// By is what there is a row for each of, beside the functions: "comm", "caller", or
	// the text of the plans' Measure that is no number; "" for nothing.
	By string
	// Symbol is that of Options, for callers.
	Symbol func(addr uint64) (name, module string, off uint64, ok bool)
	// Numbers are the names of the Measures that are numbers. Bare leaves the histograms
	// of durations out.
	Numbers []string
	Bare    bool
	Heat    bool // intervals are rows of a map of durations; the last is one, too

	// Now is the time on the trace clock in ns. If it is nil the calls are those of a
	// recording, whose time is what they say.
	Now func() uint64

	// Print shows a summary, and returns whether anybody wants more. If nobody does Gone
	// is called, once, if it is not nil.
	Print func(*Summary) bool
	Gone  func()
}

// NewSumming begins to add up the calls of the sources. End ends it.
func NewSumming(from []Source, o SummingOptions) *Summing {
	s := &Summing{SummingOptions: o, over: make(chan struct{}), sums: calls.NewSums(len(from), o.Start)}
	s.opts = Options{Order: o.Order, Symbol: o.Symbol}
	s.tallies = newTallies(from, o.By, &s.opts)
	if s.Interval > 0 && s.Now != nil {
		s.ticks.Go(s.tick)
	}
	return s
}

// tick shows each interval of a trace that is live.
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

// Add adds up a call that is over. It returns whether anybody wants more.
func (s *Summing) Add(c *calls.Call) bool {
	if c.Begun {
		return true
	}
	s.mu.Lock() // without defer, which would take a tenth of the time
	if s.Now == nil && s.Interval > 0 {
		s.sums.CatchUp(c.Last().Time, uint64(s.Interval), s.next)
	}
	s.sums.Add(c, s.tallies[c.Plan].of(c))
	more := !s.gone
	s.mu.Unlock()
	return more
}

// Lose takes note of the events that were lost before e.
func (s *Summing) Lose(e *tracefs.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lost.add(e)
	s.lostLate.add(e)
}

// Grow takes in further sources. show has the sink that Print shows with do so, too.
func (s *Summing) Grow(further []Source, show func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	show()
	s.sums.Grow(len(further))
	s.tallies = append(s.tallies, newTallies(further, s.By, &s.opts)...)
}

// Whole shows what all calls since the start come to.
func (s *Summing) Whole() { s.whole(false) }

// End shows the last summary. After it Whole shows nothing.
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

// rest shows what there is of the current interval.
func (s *Summing) rest() {
	sums, since := s.sums.Interval()
	for i := range sums {
		if sums[i].Calls > 0 {
			end := since + uint64(s.Interval)
			if s.Now != nil {
				end = s.Now()
			}
			s.next(end)
			return
		}
	}
}

// next ends the current interval, shows what its calls come to and begins the next one.
// now is in ns.
func (s *Summing) next(now uint64) {
	sums, since := s.sums.Interval()
	s.print(&Summary{Sums: sums, From: since, To: now, Interval: true, Heat: s.Heat, lossCount: s.lostLate})
	s.lostLate = lossCount{}
	s.sums.Next(now)
}

func (s *Summing) print(what *Summary) {
	what.Order, what.By, what.Numbers, what.Bare, what.tallies = s.Sort, s.By, s.Numbers, s.Bare, s.tallies
	what.Every = uint64(s.Interval)
	if !s.Print(what) && !s.gone {
		s.gone = true
		if s.Gone != nil {
			s.Gone()
		}
	}
}
