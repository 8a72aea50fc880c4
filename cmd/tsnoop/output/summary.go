package output

import (
	"cmp"
	"encoding/binary"
	"os"
	"os/signal"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
)

// A summing is what --summary asks for. A nil one does nothing.
type summing struct {
	*sum.Summing // nil before begin

	asked chan os.Signal
	now   func() uint64 // ns on the trace clock; nil if time advances with the calls
	stop  func()        // ends a live trace
}

// newSumming returns nil without --summary. Otherwise SIGUSR1 no longer kills tsnoop.
func newSumming(o *flags.Options) *summing {
	if o.Summary == "" {
		return nil
	}
	s := &summing{asked: make(chan os.Signal, 1)}
	signal.Notify(s.asked, syscall.SIGUSR1)
	return s
}

// live says that the trace is live and not a recording, whose intervals are in its own
// time.
func (s *summing) live(now func() uint64, stop func()) {
	if s != nil {
		s.now, s.stop = now, stop
	}
}

// A naming says what numbers in events stand for.
type naming struct {
	symbol  func(addr uint64) (name, module string, off uint64, ok bool) // what is at an address of the kernel
	process func(tid int) (pid int, ok bool)                             // the process of a thread
}

// begin starts to aggregate the calls of the sources. start is in ns on the trace
// clock. The function that it returns prints the totals.
func (s *summing) begin(from []render.Source, start uint64, order binary.ByteOrder, names naming, sink sum.Sink, out *Output) (end func()) {
	if s == nil {
		return func() {}
	}
	s.Summing = sum.NewSumming(from, sum.Options{
		Interval: out.o.Interval, Start: start, Order: order, Now: s.now, Gone: s.stop,
		Sort: out.o.Sort, By: out.o.By, Symbol: names.symbol, Process: names.process, Heat: out.o.Heat,
		Numbers: out.o.Numbers(), Bare: out.o.Bare(), Asked: out.o.Asked(),
		Print: func(what *sum.Summary) bool {
			what.Alone, what.Width = !out.lines(), cmp.Or(terminal.Columns(out.file.File), 80)
			out.stream.Idle()
			return out.stream.Append(func(dst []byte) []byte { return sink.Summary(dst, what) })
		},
	})
	go func() {
		for range s.asked {
			s.Whole()
		}
	}()
	return func() {
		signal.Stop(s.asked)
		close(s.asked)
		s.End()
	}
}
