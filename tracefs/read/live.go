package read

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"strconv"
	"syscall"

	"github.com/tsnoop/tsnoop/tracefs"
	"golang.org/x/sys/unix"
)

// settleTime is how long after an event, in ns, an earlier one may still come from
// another CPU: the kernel has taken its time stamp, but was interrupted before the
// record was complete. An event waits this long before it is yielded.
const settleTime = 10e6

// batchTime is how much longer, in ns, an event waits so that others can be yielded
// with it: to look at the clock and at every empty CPU costs more than many events.
const batchTime = 5e6

// Live yields the events of a session. It reads pages from each CPU's trace_pipe_raw
// and merges them by time, until ctx is done and the buffers are empty, or the session
// is closed. now returns the time on the session's trace clock, in ns.
//
// An event and its slices are valid until the next one. If a read fails, Live yields
// the error and ends.
func Live(ctx context.Context, s *tracefs.Session, o Options, now func() uint64) iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		r, err := newLiveReader(ctx, s, &o, now)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.close()
		for _, p := range r.pipes {
			r.add(&stream{cpu: p.cpu, next: p.read, aside: p.aside})
		}
		r.run(yield)
	}
}

// A liveReader reads the buffers of all CPUs. One goroutine does all of it: a read(2)
// that finds nothing is cheaper than passing pages between goroutines.
type liveReader struct {
	*merger
	ctx     context.Context
	closing context.Context // done when the session is closed
	now     func() uint64
	pipes   []*cpuPipe
	waiter  *waiter
	horizon uint64 // no more events from before this time can come
	over    bool   // the trace is over: what is empty now stays empty
	failed  error
}

// A cpuPipe is one CPU's trace_pipe_raw.
type cpuPipe struct {
	r   *liveReader
	cpu int
	f   *tracefs.Pipe

	aside bool // it is of Options.Aside
	conn  syscall.RawConn
	buf   []byte // one sub-buffer
	try   func(fd uintptr)
	n     int

	taken  *tracefs.ReadCount
	tally  *tracefs.Tally
	events uint64 // events on the page that was read last
	err    error
	// watched is set once the waiter waits for this pipe. Before the CPU has a buffer,
	// poll(2) would always report the pipe as readable.
	watched bool
}

// run yields events until there are no more or the caller stops.
func (r *liveReader) run(yield func(*tracefs.Event, error) bool) {
	for r.settle() {
		limit := r.horizon
		if len(r.empty) == 0 {
			limit = noLimit
		}
		// The clock and every empty CPU are looked at again once all that is due was emitted.
		for first := true; len(r.heap) > 0 && (first || r.heap[0].page.Stamp < limit); first = false {
			if !r.emit(limit, yield) {
				return
			}
			if len(r.empty) > 0 {
				limit = r.horizon
			}
		}
	}
	if r.failed != nil {
		yield(nil, r.failed)
	}
}

func newLiveReader(ctx context.Context, s *tracefs.Session, o *Options, now func() uint64) (_ *liveReader, err error) {
	layout, size, err := s.PageLayout()
	if err != nil {
		return nil, err
	}
	o.Layout = layout
	cpus, err := s.CPUs()
	if err != nil {
		return nil, err
	}
	r := &liveReader{merger: newMerger(*o), ctx: ctx, closing: s.Closing(), now: now}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if r.waiter, err = newWaiter(); err != nil {
		return nil, err
	}
	r.waiter.wakeOn(ctx)
	r.waiter.wakeOn(r.closing)
	for _, cpu := range cpus {
		if err := r.open(s, cpu, size, false); err != nil {
			return nil, err
		}
	}
	if o.Aside == nil {
		return r, nil
	}
	if _, size, err = o.Aside.Session.PageLayout(); err != nil {
		return nil, err
	}
	for _, cpu := range cpus {
		if err := r.open(o.Aside.Session, cpu, size, true); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// open opens one CPU's pipe.
func (r *liveReader) open(s *tracefs.Session, cpu, size int, aside bool) error {
	f, err := s.OpenUnpolledPipe("per_cpu/cpu" + strconv.Itoa(cpu) + "/trace_pipe_raw")
	if err != nil {
		return err
	}
	p := &cpuPipe{r: r, cpu: cpu, f: f, aside: aside, buf: make([]byte, size), taken: s.ReadCount(cpu), tally: s.Tally()}
	r.pipes = append(r.pipes, p)
	p.try = p.tryRead
	p.conn, err = f.SyscallConn()
	return err
}

func (r *liveReader) close() {
	for _, p := range r.pipes {
		p.f.Close()
	}
	if r.waiter != nil {
		r.waiter.close()
	}
}

// settle waits until no event can come before the first record of the heap. It returns
// false if there is no record and will be none.
func (r *liveReader) settle() bool {
	for idle, vain := false, false; r.failed == nil; {
		if len(r.heap) > 0 && len(r.empty) == 0 {
			return true
		}
		r.over = r.over || r.ctx.Err() != nil || r.closing.Err() != nil
		asked := r.now()
		r.refill()
		if vain && len(r.heap) > 0 {
			r.watchAgain()
		}
		vain = false
		if r.failed != nil {
			return false
		}
		if r.opts.Aside != nil {
			r.opts.Aside.Look()
		}
		r.horizon = asked - settleTime
		switch {
		case r.over:
			r.horizon = noLimit
			return !r.allAside()
		case len(r.heap) == 0:
			if r.opts.Idle != nil {
				r.opts.Idle()
			}
			vain = r.waiter.wait(idle, !r.allWatched())
			idle = true // in case there is nothing after all
		default:
			idle = false
			early := int64(r.heap[0].page.Stamp + batchTime - r.horizon)
			if early <= 0 {
				return true
			}
			r.waiter.sleep(early)
		}
	}
	return false
}

// refill reads again from the streams that were empty.
func (r *liveReader) refill() {
	streams := r.empty
	r.empty = r.empty[:0]
	for _, s := range streams {
		r.add(s)
	}
}

// watchAgain makes the waiter wait for the current buffers, since it has missed what
// was in them.
func (r *liveReader) watchAgain() {
	for _, p := range r.pipes {
		if err := r.waiter.again(p.conn); err != nil && r.closing.Err() == nil {
			r.failed = err
		}
	}
}

// allWatched reports whether the waiter waits for every CPU. It does, unless some CPU
// was never online.
func (r *liveReader) allWatched() bool {
	for _, p := range r.pipes {
		if !p.watched {
			return false
		}
	}
	return true
}

// read reads one page if there is one. A CPU that was never online has no buffer and
// returns an error, but may come online. The runtime's poller gets that error too and
// would never let its pipe be read, so read does not use it.
func (p *cpuPipe) read() ([]byte, error) {
	err := p.conn.Control(p.try)
	if err == nil {
		err = p.err
	}
	switch {
	case p.r.closing.Err() != nil:
		return nil, io.EOF
	case errors.Is(err, unix.ENODEV) || errors.Is(err, unix.EINVAL):
		return nil, errEmpty
	case err != nil && !errors.Is(err, unix.EAGAIN):
		p.r.failed = &fs.PathError{Op: "read", Path: p.f.Name(), Err: err}
		return nil, io.EOF
	}
	if !p.watched {
		p.watched = true
		if err := p.r.waiter.watch(p.conn); err != nil {
			p.r.failed = err
			return nil, io.EOF
		}
	}
	if p.n <= 0 {
		return nil, errEmpty
	}
	return p.buf[:p.n], nil
}

// tryRead reads once. It does not wait: OpenUnpolledPipe has made the pipe non-blocking.
func (p *cpuPipe) tryRead(fd uintptr) {
	p.taken.Begin()
	p.n, p.err = unix.Read(int(fd), p.buf)
	for p.err == unix.EINTR {
		p.n, p.err = unix.Read(int(fd), p.buf)
	}
	p.events = 0
	if p.n > 0 {
		p.events = count(p.r.opts.Layout, p.buf[:p.n], p.tally)
	}
	p.taken.End(p.events)
}
