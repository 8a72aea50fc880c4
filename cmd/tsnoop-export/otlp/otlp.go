// Package otlp sends calls to OpenTelemetry collectors, or writes them as the lines that these
// read from files: calls with a return as spans, all others as log records.
//
// The messages are those of https://github.com/open-telemetry/opentelemetry-proto.
package otlp

import (
	"cmp"
	"context"
	"errors"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/cmd/program"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/call"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/output"
)

// A sink takes requests.
type sink interface {
	// Send takes a request about n calls. It must not keep the body.
	Send(s env.Signal, body []byte, n int) error
	// Close returns when all have been delivered or given up.
	Close(missing error) error
}

// memory is what the program may take before it collects garbage more often: what waits, and about
// as much for what is being read and sent.
const memory = 128 << 20

// mostWaiting is how many bytes the calls may take that wait for their parents.
const mostWaiting = 32 << 20

// An exporter is the [output.Output].
type exporter struct {
	to      output.To
	o       Options
	others  [][2]string // attributes of resources that variables ask for
	most    int         // bytes that may wait
	stopped chan struct{}

	mu      sync.Mutex // the rest is also used when time passes and nothing else happens
	sink    sink
	sources map[*call.Trace]*source
	batches [env.Signals]batch
	texts   store
	waiting int // bytes of the calls that wait
	busy    bool
	err     error

	off [env.Signals]bool

	delta   bool   // metrics are since the last ones
	series  int    // of all sources
	crowded uint64 // calls in series that had no room
	had     []bool // for each of By, whether a call has it

	span, hash []byte // scratch
	unplaced   uint64 // calls whose time of day is not known
	linked     uint64 // calls with a span of an application
	unlinked   uint64 // calls with a value that is not one
	late       uint64 // calls that had made others, which were sent before
}

// New returns the output that sends to a URL or writes to To.W, which is named if --output
// was given; with neither variables say what it does.
func New(to output.To, o Options, url, named string) (output.Output, error) {
	if o.Metrics == 0 && (len(o.By) > 0 || o.Spans) {
		return nil, program.Errorf("add --metrics 10s", "--by and --spans work only with --metrics")
	}
	isDelta, err := temporality(os.Getenv)
	if err != nil {
		return nil, err
	}
	s, err := open(to, o, url, named, os.Getenv)
	if err != nil {
		return nil, err
	}
	debug.SetMemoryLimit(memory)
	x := newExporter(to, o, s, env.Attributes(os.Getenv))
	x.delta = isDelta
	for i := range x.off {
		x.off[i] = env.Off(os.Getenv, env.Signal(i))
	}
	return x, nil
}

func newExporter(to output.To, o Options, s sink, others [][2]string) *exporter {
	x := &exporter{to: to, o: o, others: others, most: mostWaiting, sink: s, sources: map[*call.Trace]*source{}, stopped: make(chan struct{}), had: make([]bool, len(o.By))}
	if to.Live {
		go x.tick()
	}
	return x
}

// tick sends what has waited while nothing happens.
func (x *exporter) tick() {
	const period = time.Second
	t := time.NewTicker(period)
	defer t.Stop()
	for {
		select {
		case <-x.stopped:
			return
		case <-t.C:
		}
		x.mu.Lock()
		if !x.busy {
			for _, s := range x.sources {
				s.now += uint64(period)
				x.release(s)
				if x.o.Metrics > 0 {
					x.window(s)
				}
			}
		}
		x.busy = false
		x.flush()
		x.mu.Unlock()
	}
}

func (x *exporter) Begin(t *call.Trace) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.source(t)
	return x.err
}

func (x *exporter) source(t *call.Trace) *source {
	s := x.sources[t]
	if s == nil {
		s = newSource(t, x.others)
		x.sources[t] = s
		if x.o.Metrics > 0 && t.Origin.Began != nil {
			s.sums.start = s.wall + s.now
			x.window(s)
		}
	}
	return s
}

func (x *exporter) Call(c *call.Call) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.source(c.Trace)
	s.now, x.busy = max(s.now, c.Time, c.End), true
	if c.Wall > 0 {
		s.wall = uint64(c.Wall) - c.Time
	} else {
		x.unplaced++
	}
	if x.o.Metrics > 0 {
		if x.aggregate(s, c); !x.o.Spans {
			return x.err
		}
	}
	of := idOf(c)
	n := node{begin: c.Time, span: isSpan(c)}
	if n.span {
		x.span = appendSpan(x.span[:0], c)
		t := s.nest.task(of)
		n.id, x.hash = s.newID(x.hash, c, 0)
		if n.id == t.last {
			t.same++
			n.id, x.hash = s.newID(x.hash, c, t.same)
		} else {
			t.last, t.same = n.id, 0
		}
		n.places(c)
	} else {
		x.span = appendRecord(x.span[:0], c)
	}
	x.link(&n, c)
	n.body = x.texts.keep(x.span)
	x.waiting += nodeSize + len(x.span)
	if s.nest.add(of, n, max(c.Time, c.End)) && x.o.Nest > 0 {
		x.late++
	}
	x.release(s)
	return x.err
}

// link adds the span of an application.
func (x *exporter) link(n *node, c *call.Call) {
	if x.o.Parent == "" {
		return
	}
	switch of, ok, found := parentOf(c, x.o.Parent); {
	case ok && n.span:
		x.span = appendLink(x.span, &of, x.o.Parent)
		x.linked++
	case ok:
		x.span = appendIDs(x.span, &of)
		n.linked = true
		x.linked++
	case found:
		x.unlinked++
	}
}

// release sends the calls of a source that have waited long enough, or longest if there are
// too many.
func (x *exporter) release(s *source) {
	for !s.nest.empty() && (x.waiting > x.most || s.nest.oldest()+uint64(x.o.Nest) <= s.now) {
		x.sendNext(s)
	}
}

// sendNext sends the call that has waited longest, unless one that waits has made it.
func (x *exporter) sendNext(s *source) {
	t, all := s.nest.next()
	if t == nil {
		return
	}
	root := &all[len(all)-1]
	for i := range all {
		x.send(s, &all[i], root)
		x.waiting -= nodeSize + len(all[i].body.bytes())
		x.texts.drop(all[i].body)
	}
	s.nest.release(t)
}

// send puts a call into a batch. Only now its ids are known.
func (x *exporter) send(s *source, n, root *node) {
	var ids [3 * 20]byte
	tail, signal := ids[:0], env.Traces
	switch {
	case n.span:
		tail = appendBytes(appendBytes(tail, spanTrace, root.trace[:]), spanID, n.id.span[:])
		if n != root {
			tail = appendBytes(tail, spanParent, n.parent[:])
		}
	default:
		signal = env.Logs
		if n != root && !n.linked {
			tail = appendBytes(appendBytes(tail, recordTrace, root.trace[:]), recordSpan, n.parent[:])
		}
	}
	x.put(signal, s, n.body.bytes(), tail)
}

// put puts an item into a batch, and sends that if it is full.
func (x *exporter) put(signal env.Signal, s *source, head, tail []byte) {
	b := &x.batches[signal]
	if x.off[signal] {
		return
	}
	if b.add(s, head, tail); b.isFull() {
		x.flushOne(b, signal)
	}
}

// flush sends all batches.
func (x *exporter) flush() {
	for i := range x.batches {
		x.flushOne(&x.batches[i], env.Signal(i))
	}
}

func (x *exporter) flushOne(b *batch, s env.Signal) {
	if b.n > 0 {
		n, body := b.take()
		x.err = cmp.Or(x.err, x.sink.Send(s, body, n))
	}
}

func (x *exporter) Loss(l *call.Loss) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.source(l.Trace)
	if x.o.Metrics > 0 {
		if s.lose(l); !x.o.Spans {
			return x.err
		}
	}
	x.span = appendLoss(x.span[:0], l, s.at(l.Time))
	x.put(env.Logs, s, x.span, nil)
	return x.err
}

func (x *exporter) End(t *call.Trace) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.source(t)
	x.complete(s)
	x.flush()
	delete(x.sources, t)
	return x.err
}

// complete sends all of a source.
func (x *exporter) complete(s *source) {
	for !s.nest.empty() && x.err == nil {
		x.sendNext(s)
	}
	x.finish(s)
}

func (x *exporter) Close(missing error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	close(x.stopped)
	if x.err == nil && !errors.Is(missing, context.Canceled) {
		for _, s := range x.sources { // of inputs that have no end
			x.complete(s)
		}
		x.flush()
	}
	if x.unplaced > 0 {
		x.to.Warn("the time of day of %d calls is not known: theirs is the time on the trace clock, as if that had begun in 1970", x.unplaced)
	}
	if x.unlinked > 0 {
		x.to.Warn("%d values of %s are neither a traceparent nor 16 or 24 bytes", x.unlinked, x.o.Parent)
	} else if x.o.Parent != "" && x.linked == 0 {
		x.to.Warn("no call has a value %s: give --parent a name as the spec has it", x.o.Parent)
	}
	x.missingKeys()
	if x.late > 0 {
		x.to.Warn("%d calls took so long that calls they made had been sent before, without a parent: see --nest", x.late)
	}
	return cmp.Or(x.sink.Close(missing), x.err)
}
