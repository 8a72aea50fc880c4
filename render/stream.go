package render

import (
	"io"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// idle is how long a line may stay in memory before it is written.
const idle = 50 * time.Millisecond

// full is when a buffer is written at once.
const full = 64 << 10

// A Stream writes what a sink makes of a trace. Its methods may be called by several
// goroutines.
type Stream struct {
	sink Sink
	w    io.Writer
	once bool // each line is written at once

	mu    sync.Mutex // for all below, and the sink
	err   error      // of a write
	buf   []byte
	timer *time.Timer
}

// NewStream makes a Stream and opens the sink. For people each line is written at once;
// otherwise many together, but none waits for long.
func NewStream(w io.Writer, sink Sink, people bool) *Stream {
	s := &Stream{sink: sink, w: w, once: people}
	s.timer = time.AfterFunc(time.Hour, func() { s.Flush() })
	s.Append(sink.Open)
	return s
}

// Add takes in further plans, as the sink does.
func (s *Stream) Add(sources []Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink.Add(sources)
}

// Append takes what add appends. It returns whether it makes sense to go on: not after an
// error.
func (s *Stream) Append(add func(dst []byte) []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.buf) == 0 && !s.once {
		s.timer.Reset(idle)
	}
	s.buf = add(s.buf)
	if s.once || len(s.buf) >= full {
		s.write()
	}
	return s.err == nil
}

// Show takes a call that has begun or ended.
func (s *Stream) Show(c *calls.Call) bool {
	return s.Append(func(dst []byte) []byte {
		if c.Begun {
			return s.sink.Begin(dst, c)
		}
		return s.sink.End(dst, c)
	})
}

// Summary takes what calls came to.
func (s *Stream) Summary(what *Summary) bool {
	return s.Append(func(dst []byte) []byte { return s.sink.Summary(dst, what) })
}

// Lost takes the first event after some that were lost.
func (s *Stream) Lost(e *tracefs.Event) {
	s.Append(func(dst []byte) []byte { return s.sink.Lost(dst, e) })
}

// LostTotal takes what was lost on each CPU.
func (s *Stream) LostTotal(stats []tracefs.CPUStats) {
	s.Append(func(dst []byte) []byte { return s.sink.LostTotal(dst, stats) })
}

// Missed takes how often the probe of a function could not run.
func (s *Stream) Missed(function string, returns bool, n uint64) {
	s.Append(func(dst []byte) []byte { return s.sink.Missed(dst, function, returns, n) })
}

// Interfered takes what another program has done to the trace. It may be long until
// there is more to write.
func (s *Stream) Interfered(i *tracefs.Interference) {
	s.Append(func(dst []byte) []byte { return s.sink.Interfered(dst, i) })
}

// Idle takes what the sink has held back.
func (s *Stream) Idle() { s.Append(s.sink.Idle) }

// Flush writes what there is. It returns the first error of all writes.
func (s *Stream) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write()
	return s.err
}

// write writes what there is. After an error nothing more is written.
func (s *Stream) write() {
	if len(s.buf) > 0 && s.err == nil {
		_, s.err = s.w.Write(s.buf)
	}
	s.buf = s.buf[:0]
}

// Close closes the sink and writes the rest. It returns the first error of all writes.
func (s *Stream) Close() error {
	s.Append(s.sink.Close)
	s.timer.Stop()
	return s.Flush()
}
