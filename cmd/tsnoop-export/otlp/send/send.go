// Package send delivers requests over HTTP to a collector that may be slow, hang or be away. It
// bounds the memory of those that wait, and counts what was not delivered.
package send

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tsnoop/tsnoop/cmd/tsnoop-export/otlp/env"
)

// Options say how to send.
type Options struct {
	Context context.Context // canceled when the user interrupts the export
	Agent   string          // name and version of this program
	Most    int             // bytes of all requests that wait
	Wait    bool            // Send waits for room, as nothing is lost meanwhile; otherwise a request that has no room is dropped
	Retry   time.Duration   // how long to retry when nothing else can be done
	Workers int             // requests at a time
	Warn    func(format string, args ...any)

	// RoundTripper replaces the transport of targets in tests; nil otherwise.
	RoundTripper http.RoundTripper
}

// Counts are what has become of the items of requests.
type Counts struct {
	Sent    uint64 // all that were given to Send
	NoRoom  uint64 // there was no room in memory
	Refused uint64 // the collector does not want them
	Partial uint64 // those it does not want of requests that it has taken
	GivenUp uint64 // it could not be reached, or was too busy, for too long
	Left    uint64 // they waited when the export ended
	Nowhere uint64 // nothing says where to send them
	Retries uint64
	Cause   string // why the last one was not delivered; escaped
}

// Missing returns how many items were not delivered, as far as is known: a collector that took a
// request and did not answer may have them.
func (c *Counts) Missing() uint64 {
	return c.NoRoom + c.Refused + c.Partial + c.GivenUp + c.Left + c.Nowhere
}

// A request waits, or is being delivered.
type request struct {
	signal env.Signal
	body   []byte
	n      int // items
}

// A Client delivers requests.
type Client struct {
	o       Options
	targets [env.Signals]*target
	ctx     context.Context // of all requests
	cancel  context.CancelFunc
	workers sync.WaitGroup

	mu      sync.Mutex
	changed sync.Cond // something of the following
	queue   []request
	bytes   int // of all requests, also those that are being delivered
	closed  bool
	counts  Counts
	free    [][]byte      // bodies to use again
	dead    error         // the collector is given up
	ending  chan struct{} // closed when Close begins
	state
}

// New returns a client. It fails if the files of a target cannot be used.
func New(all *env.Settings, o Options) (*Client, error) {
	c := &Client{o: o, ending: make(chan struct{})}
	c.changed.L = &c.mu
	for s := range all {
		t, err := newTarget(env.Signal(s), &all[s], &o)
		if err != nil {
			return nil, err
		}
		c.targets[s] = t
	}
	c.ctx, c.cancel = context.WithCancel(o.Context)
	context.AfterFunc(c.ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})
	for range o.Workers {
		c.workers.Go(c.work)
	}
	return c, nil
}

// Send delivers a request later. It copies the body. Its error says that the collector was
// given up.
func (c *Client) Send(s env.Signal, body []byte, n int) error {
	var packed []byte
	if c.targets[s] != nil {
		packed = c.targets[s].pack(c.buffer(), body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts.Sent += uint64(n)
	if c.targets[s] == nil {
		c.counts.Nowhere += uint64(n)
		c.counts.Cause = fmt.Sprintf("no variable has an endpoint for %v", s)
		return nil
	}
	for c.o.Wait && c.dead == nil && c.ctx.Err() == nil && c.bytes > 0 && c.bytes+len(packed) > c.o.Most {
		c.changed.Wait()
	}
	switch {
	case c.dead != nil:
		c.counts.GivenUp += uint64(n)
		return c.dead
	case c.ctx.Err() != nil:
		c.counts.Left += uint64(n)
		return c.ctx.Err()
	case c.bytes > 0 && c.bytes+len(packed) > c.o.Most:
		c.recycle(packed)
		if c.counts.NoRoom += uint64(n); c.counts.NoRoom == uint64(n) {
			c.o.Warn("the collector is too slow, or away: more than %d MiB wait, and calls are dropped", c.o.Most>>20)
		}
		return nil
	}
	c.bytes += len(packed)
	c.queue = append(c.queue, request{s, packed, n})
	c.changed.Broadcast()
	return nil
}

// buffer returns an empty buffer.
func (c *Client) buffer() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.free)
	if n == 0 {
		return nil
	}
	b := c.free[n-1]
	c.free = c.free[:n-1]
	return b
}

// recycle keeps a buffer, unless there are enough.
func (c *Client) recycle(b []byte) {
	const most = 4
	if len(c.free) < most {
		c.free = append(c.free, b[:0])
	}
}

// Close returns when all requests were delivered or given up.
func (c *Client) Close() Counts {
	c.mu.Lock()
	c.closed, c.ends = true, time.Now()
	close(c.ending)
	c.changed.Broadcast()
	c.mu.Unlock()
	c.workers.Wait()
	c.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counts
}

// work delivers one request after the other.
func (c *Client) work() {
	for {
		r, ok := c.next()
		if !ok {
			return
		}
		c.deliver(&r)
		c.mu.Lock()
		c.bytes -= len(r.body)
		c.recycle(r.body)
		c.changed.Broadcast()
		c.mu.Unlock()
	}
}

// next waits for a request. It returns false if none will come.
func (c *Client) next() (r request, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.queue) == 0 && !c.closed && c.ctx.Err() == nil {
		c.changed.Wait()
	}
	if len(c.queue) == 0 {
		return request{}, false
	}
	r = c.queue[0]
	c.queue[0].body = nil
	c.queue = c.queue[1:]
	return r, true
}
