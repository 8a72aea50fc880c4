package main

import (
	"encoding/binary"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tsnoop/tsnoop/fetchargs"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/tracefs/calls"
	"github.com/tsnoop/tsnoop/tracefs/trace"
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
	fails []*fetchargs.Verdict // of each plan
	idle  func()               // writes a line that is held back
	now   func() uint64        // ns on the trace clock; nil: time is what the calls say
	stop  func()               // ends the trace, if it is live

	mu   sync.Mutex // for all below
	sums *calls.Sums
	gone bool // nobody reads the output any more
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
func (s *summing) begin(r *trace.Reading, out *output, sink render.Sink, idle func()) (end func()) {
	if s == nil {
		return func() {}
	}
	s.sums, s.fails = calls.NewSums(len(r.Plans()), r.Start()), verdicts(sources(r), r.Order())
	s.out, s.sink, s.idle = out, sink, idle
	return s.run()
}

func (s *summing) run() (end func()) {
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

// add adds up a call that is over. It returns whether anybody wants more.
func (s *summing) add(c *calls.Call) bool {
	if c.Begun {
		return true
	}
	errno := 0
	if e := c.Event(true, 0); e != nil {
		errno = s.fails[c.Plan].Errno(e.Data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil && s.interval > 0 {
		s.sums.CatchUp(c.Last().Time, uint64(s.interval), s.next)
	}
	s.sums.Add(c, errno)
	return !s.gone
}

// whole prints what all calls since the start come to.
func (s *summing) whole(final bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, start, last := s.sums.All()
	if s.now != nil {
		last = s.now()
	}
	s.print(&render.Summary{Sums: all, From: start, To: last, Final: final})
}

// lap ends the current interval, prints what its calls come to and begins the
// next one. now is in ns.
func (s *summing) lap(now uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next(now)
}

func (s *summing) next(now uint64) {
	sums, since := s.sums.Interval()
	s.print(&render.Summary{Sums: sums, From: since, To: now, Interval: true})
	s.sums.Next(now)
}

// print shows what calls came to.
func (s *summing) print(what *render.Summary) {
	what.Alone, what.Width = s.only, s.out.width()
	s.idle()
	wanted := s.out.line(func(dst []byte) []byte { return s.sink.Summary(dst, what) })
	if !wanted && !s.gone {
		s.gone = true
		if s.stop != nil {
			s.stop()
		}
	}
}

// verdicts tell of the calls of each source whether they failed.
func verdicts(from []render.Source, order binary.ByteOrder) []*fetchargs.Verdict {
	all := make([]*fetchargs.Verdict, len(from))
	for i := range from {
		all[i] = from[i].Verdict(order)
	}
	return all
}
