package main

import (
	"encoding/binary"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// A summing adds up calls and prints what they come to: at the end of a trace
// and at every SIGUSR1 all since its start, and every interval those since the
// interval before. A nil one does nothing.
type summing struct {
	only     bool
	interval time.Duration // 0 for none
	asked    chan os.Signal
	over     chan struct{}
	done     sync.WaitGroup

	out   *output
	sink  render.Sink
	fails render.Verdicts
	idle  func()        // writes a line that is held back
	now   func() uint64 // ns on the trace clock; nil: time is what the calls say
	stop  func()        // ends the trace, if it is live

	mu      sync.Mutex      // for all below
	before  []calls.Summary // of the intervals that are over
	current []calls.Summary
	start   uint64 // of the trace, ns
	since   uint64 // of the current interval
	last    uint64 // the latest time of a call
	quiet   bool   // no call in the current interval
	gone    bool   // nobody reads the output any more
}

// newSumming makes what --summary asks for, nil if it is not asked for. From
// now on SIGUSR1 does not kill.
func newSumming(o *options) *summing {
	if o.summary == "" {
		return nil
	}
	s := &summing{
		only: o.summary == "only", interval: o.interval,
		asked: make(chan os.Signal, 1), over: make(chan struct{}),
	}
	signal.Notify(s.asked, syscall.SIGUSR1)
	return s
}

// live says that the trace is no recording, the intervals of which are those of
// its own time.
func (s *summing) live(now func() uint64, stop func()) {
	if s != nil {
		s.now, s.stop = now, stop
	}
}

// begin starts the first interval. The function it returns ends the last one
// and prints the sum of all.
func (s *summing) begin(from []render.Source, order binary.ByteOrder, start uint64, out *output, sink render.Sink, idle func()) (end func()) {
	if s == nil {
		return func() {}
	}
	s.out, s.sink, s.idle = out, sink, idle
	s.fails = render.NewVerdicts(from, order)
	s.start, s.since, s.last, s.quiet = start, start, start, true
	s.before = make([]calls.Summary, len(from))
	s.current = make([]calls.Summary, len(from))
	s.done.Go(s.tell)
	return func() {
		signal.Stop(s.asked)
		close(s.over)
		s.done.Wait()
		s.whole(true)
	}
}

// tell prints when it is asked to and when an interval is over.
func (s *summing) tell() {
	var tick <-chan time.Time
	if s.interval > 0 && s.now != nil {
		ticker := time.NewTicker(s.interval)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-s.asked:
			s.whole(false)
		case <-tick:
			s.lap(s.now())
		case <-s.over:
			return
		}
	}
}

// adding adds up the calls and passes them on, if they are to be shown.
func (s *summing) adding(next want) want {
	if s == nil {
		return next
	}
	return func(c *calls.Call) bool {
		return (c.Begun || s.add(c)) && (s.only || next(c))
	}
}

// add returns whether anybody wants more.
func (s *summing) add(c *calls.Call) bool {
	e := c.Return
	if e == nil {
		e = c.Entry
	}
	errno := s.fails.Errno(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil && s.interval > 0 {
		s.catchUp(e.Time)
	}
	s.last, s.quiet = max(s.last, e.Time), false
	s.current[c.Plan].Add(c, errno)
	return !s.gone
}
