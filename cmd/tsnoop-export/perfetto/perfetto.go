// Package perfetto writes a trace of TrackEvents, as Perfetto's trace_processor and its page
// ui.perfetto.dev read them: a track for each thread, with calls as slices that nest.
//
// Neither can be had here, so that no real reader has seen these files: the tests read them by the
// numbers of fields that are published.
package perfetto

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
	"github.com/tsnoop/tsnoop/fetchargs/plural"
	"golang.org/x/term"
	"google.golang.org/protobuf/encoding/protowire"
)

// A writer is the [output.Output].
type writer struct {
	to     output.To
	w      *bufio.Writer
	err    error
	traces map[*call.Trace]*trace
	last   *trace // that was written of
	many   bool   // several traces began before the first call

	calls uint64
	flat  uint64 // calls that no track was left for
	blind int    // traces whose time of day is not known, after the first one
	spans int    // of all tracks
	begin uint64 // when the first trace began, on its clock

	body, inner, out []byte // scratch
}

// A trace is what is known of one. Its packets are a sequence.
type trace struct {
	*call.Trace
	index int
	begun bool   // its clock and its own track are described
	clock uint64 // of its times
	first uint64 // its first time
	final uint64 // the latest one

	base, tracks uint64
	info, lost   uint64 // tracks of what is said of it, and of the counter of lost events
	events       uint64 // that were lost
	threads      map[key]*thread
	processes    map[int]uint64
}

// New returns the output, which is not for terminals.
func New(to output.To) (output.Output, error) {
	if f, ok := to.W.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return nil, program.Errorf("run tsnoop-export perfetto trace.dat >trace.pftrace", "a trace is not text: it is not written to a terminal")
	}
	return newWriter(to), nil
}

func newWriter(to output.To) *writer {
	return &writer{to: to, w: bufio.NewWriterSize(to.W, 64<<10), traces: map[*call.Trace]*trace{}}
}

func (w *writer) Begin(from *call.Trace) error {
	t := &trace{Trace: from, index: len(w.traces), threads: map[key]*thread{}, processes: map[int]uint64{}}
	t.base = base(from, t.index)
	t.info = t.newTrack()
	w.many = w.many || t.index > 0 && w.calls == 0
	w.traces[from], w.last = t, t
	return w.err
}

func (w *writer) Call(c *call.Call) error {
	t := w.traces[c.Trace]
	if !t.begun {
		w.start(t, c.Time, c.Wall)
	}
	w.calls++
	one := w.thread(t, c)
	end := c.Time
	if c.Timed {
		end += c.Duration
	}
	t.final = max(t.final, end)
	track, nests := one.track, c.Timed && end >= c.Time
	if nests {
		if track, nests = w.track(t, one, span{c.Time, end}); !nests {
			w.flat++
		}
	}
	kind := uint64(typeInstant)
	if nests {
		kind = typeBegin
	}
	w.body = appendNumber(appendNumber(w.body[:0], eventType, kind), eventTrack, track)
	w.body = w.appendEvent(w.body, c)
	if c.Timed && !nests {
		w.body = w.appendCount(w.body, "duration_ns", c.Duration)
	}
	w.event(t, c.Time)
	if nests {
		w.body = appendNumber(appendNumber(w.body[:0], eventType, typeEnd), eventTrack, track)
		w.event(t, end)
	}
	return w.err
}

// packet writes what is in body as a field of a packet of a trace.
func (w *writer) packet(t *trace, field protowire.Number) {
	w.out = appendNumber(w.out[:0], packetSequence, uint64(t.index+1))
	w.rest(field)
}

// event writes the TrackEvent in body.
func (w *writer) event(t *trace, time uint64) {
	w.out = appendNumber(w.out[:0], packetSequence, uint64(t.index+1))
	w.out = appendNumber(appendNumber(w.out, packetTimestamp, time), packetClock, t.clock)
	w.rest(packetTrackEvent)
}

func (w *writer) rest(field protowire.Number) {
	w.out = appendBytes(w.out, field, w.body)
	var head [12]byte
	w.w.Write(protowire.AppendVarint(protowire.AppendTag(head[:0], tracePacket, protowire.BytesType), uint64(len(w.out))))
	_, err := w.w.Write(w.out)
	w.err = cmp.Or(w.err, err)
}

func (w *writer) End(of *call.Trace) error {
	t := w.traces[of]
	if b := of.Origin.Began; !t.begun && b != nil {
		w.start(t, b.Trace, b.Wall)
	}
	if t.begun {
		if e := of.Origin.Ended; e != nil && e.Trace > 0 {
			w.snapshot(t, e.Trace, e.Wall)
		}
		t.threads, t.processes = nil, nil
	}
	return w.err
}

// Close writes why the trace is not whole, if it is not.
func (w *writer) Close(missing error) error {
	if missing != nil && w.last != nil {
		text := "not all could be read: " + missing.Error()
		if errors.Is(missing, context.Canceled) {
			text = "the export was interrupted: later calls are missing"
		}
		if !w.last.begun {
			w.start(w.last, 0, 0)
		}
		w.note(w.last, w.last.final, text)
	}
	if w.flat > 0 {
		w.to.Warn("%s overlap more than %d others of their tasks: they are instants with the annotation duration_ns", plural.Of(w.flat, "call"), mostTracks-1)
	}
	if w.blind > 0 {
		w.to.Warn("the time of day of %s is not known: they begin with the first trace", plural.Of(w.blind, "trace"))
	}
	return cmp.Or(w.err, w.w.Flush())
}

// note writes an instant on the trace's own track.
func (w *writer) note(t *trace, time uint64, text string) {
	w.body = appendNumber(appendNumber(w.body[:0], eventType, typeInstant), eventTrack, t.info)
	w.body = appendText(appendText(w.body, eventCategories, "tsnoop"), eventName, text)
	w.event(t, time)
}

// name returns what the trace's own track is called.
func (t *trace) name() string {
	return fmt.Sprintf("tsnoop trace of %s", cmp.Or(t.Origin.Host, t.Name))
}
