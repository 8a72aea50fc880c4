package render

import (
	"io"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/calls"
)

// idle is how long a line may stay in the buffer before it is written.
const idle = 50 * time.Millisecond

// full is the size in bytes at which the buffer is written at once.
const full = 64 << 10

// A Stream writes the output of a sink. Several goroutines may call its methods.
type Stream struct {
	sink Sink
	w    io.Writer
	once bool // write each line at once

	mu    sync.Mutex // for all below, and the sink
	err   error      // the first error of a write
	buf   []byte
	timer *time.Timer
}

// NewStream returns a Stream and opens the sink. For people each line is written at once.
// Otherwise many lines are written together, but no line waits for long.
func NewStream(w io.Writer, sink Sink, people bool) *Stream {
	s := &Stream{sink: sink, w: w, once: people}
	s.timer = time.AfterFunc(time.Hour, func() { s.Flush() })
	s.Append(sink.Open)
	return s
}

// Add adds plans to the sink.
func (s *Stream) Add(sources []Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sink.Add(sources)
}

// Append writes what add appends. It reports whether it makes sense to continue, which it
// does not after an error.
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

// Show shows a call that has begun or ended.
func (s *Stream) Show(c *calls.Call) bool {
	return s.Append(func(dst []byte) []byte {
		if c.Begun {
			return s.sink.Begin(dst, c)
		}
		return s.sink.End(dst, c)
	})
}

// Lost shows that events were lost before e.
func (s *Stream) Lost(e *tracefs.Event) {
	s.Append(func(dst []byte) []byte { return s.sink.Lost(dst, e) })
}

// LostTotal shows what was lost on each CPU.
func (s *Stream) LostTotal(stats []tracefs.CPUStats) {
	s.Append(func(dst []byte) []byte { return s.sink.LostTotal(dst, stats) })
}

// Unfinished shows how many calls of a function began, since the trace did or earlier, and
// did not end.
func (s *Stream) Unfinished(function string, n uint64, earlier bool) {
	s.Append(func(dst []byte) []byte { return s.sink.Unfinished(dst, function, n, earlier) })
}

// Missed shows how often the probe of a function could not run, at most if atMost is set.
func (s *Stream) Missed(function string, returns bool, n uint64, atMost bool) {
	s.Append(func(dst []byte) []byte { return s.sink.Missed(dst, function, returns, n, atMost) })
}

// SwitchedOff shows that later calls of a function are missing.
func (s *Stream) SwitchedOff(o *tracefs.SwitchOff) {
	s.Append(func(dst []byte) []byte { return s.sink.SwitchedOff(dst, o) })
}

// Interfered shows what another program has done to the trace.
func (s *Stream) Interfered(i *tracefs.Interference) {
	s.Append(func(dst []byte) []byte { return s.sink.Interfered(dst, i) })
}

// Origin shows where and when the trace was made.
func (s *Stream) Origin(o *tracefs.Origin) {
	s.Append(func(dst []byte) []byte { return s.sink.Origin(dst, o) })
}

// Idle shows what the sink has held back.
func (s *Stream) Idle() { s.Append(s.sink.Idle) }

// Flush writes the buffer. It returns the first error of all writes.
func (s *Stream) Flush() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write()
	return s.err
}

// write writes the buffer. After an error it writes nothing more.
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
