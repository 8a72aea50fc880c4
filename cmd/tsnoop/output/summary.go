package output

import (
	"cmp"
	"os"
	"os/signal"
	"syscall"

	"github.com/tsnoop/tsnoop/cmd/tsnoop/flags"
	"github.com/tsnoop/tsnoop/cmd/tsnoop/terminal"
	"github.com/tsnoop/tsnoop/render"
	"github.com/tsnoop/tsnoop/render/sum"
	"github.com/tsnoop/tsnoop/tracefs/stream"
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

// begin starts to aggregate the calls of r, from the sources. The function that it returns
// prints the totals.
func (s *summing) begin(from []render.Source, r *stream.Stream, sink sum.Sink, out *Output) (end func()) {
	so := sum.Options{Start: r.Began(), Order: r.Order, Symbol: r.Symbol, Process: r.Process, SwitchedOff: r.Spans.SwitchedOff}
	if r.Origin != nil {
		so.Host = r.Origin.Host
	}
	return s.start(from, so, sink, out)
}

// start is begin for calls of whatever so describes.
func (s *summing) start(from []render.Source, so sum.Options, sink sum.Sink, out *Output) (end func()) {
	if s == nil {
		return func() {}
	}
	so.Interval, so.Now, so.Gone, so.Sort, so.By, so.Heat = out.o.Interval, s.now, s.stop, out.o.Sort, out.o.By, out.o.Heat
	so.Numbers, so.Bare, so.Asked = out.o.Numbers(), out.o.Bare(), out.o.Asked()
	so.Print = func(what *sum.Summary) bool {
		what.Alone, what.Width = !out.lines(), cmp.Or(terminal.Columns(out.file.File), 80)
		out.stream.Idle()
		return out.stream.Append(func(dst []byte) []byte { return sink.Summary(dst, what) })
	}
	s.Summing = sum.NewSumming(from, so)
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
