package render

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A Summing adds up calls and shows what they come to: when it is asked to and at the end
// all since the start, and every interval those since the one before.
type Summing struct {
	SummingOptions
	fails []*fetchargs.Verdict // of each source
	over  chan struct{}
	ticks sync.WaitGroup

	mu   sync.Mutex // for all below
	sums *calls.Sums
	done bool
	gone bool // nobody wants more
}

// SummingOptions say what is added up and when it is shown.
type SummingOptions struct {
	Interval time.Duration    // 0 for none
	Start    uint64           // ns on the trace clock
	Order    binary.ByteOrder // of the records; nil for little endian

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
	for i := range from {
		s.fails = append(s.fails, from[i].Verdict(o.Order))
	}
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
	errno := 0
	if e := c.Event(true, 0); e != nil {
		errno = s.fails[c.Plan].Errno(e.Data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Now == nil && s.Interval > 0 {
		s.sums.CatchUp(c.Last().Time, uint64(s.Interval), s.next)
	}
	s.sums.Add(c, errno)
	return !s.gone
}

// Grow takes in further sources. show has the sink that Print shows with do so, too.
func (s *Summing) Grow(further []Source, show func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	show()
	s.sums.Grow(len(further))
	for i := range further {
		s.fails = append(s.fails, further[i].Verdict(s.Order))
	}
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
	all, start, last := s.sums.All()
	if s.Now != nil {
		last = s.Now()
	}
	s.print(&Summary{Sums: all, From: start, To: last, Final: final})
}

// next ends the current interval, shows what its calls come to and begins the next one.
// now is in ns.
func (s *Summing) next(now uint64) {
	sums, since := s.sums.Interval()
	s.print(&Summary{Sums: sums, From: since, To: now, Interval: true})
	s.sums.Next(now)
}

func (s *Summing) print(what *Summary) {
	if !s.Print(what) && !s.gone {
		s.gone = true
		if s.Gone != nil {
			s.Gone()
		}
	}
}
