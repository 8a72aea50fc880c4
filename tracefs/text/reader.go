package text

import (
	"context"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
)

// readSize is more than the kernel returns at once, two pages of at most 64 KiB. So a
// read never ends inside a record, unless the record itself is cut.
const readSize = 256 << 10

// Read yields the events of a session, read as text from trace_pipe, and consumes them.
// When ctx is done it yields what is still in the buffers and ends; call Session.Stop
// before, or it may never end. It waits without spinning and ends early if the session
// is closed.
//
// Text has µs where the buffer has ns, shows at most 15 bytes of task names, which may
// be missing ("<...>"), and loses more events than binary reading. An error ends the
// sequence.
func Read(ctx context.Context, s *tracefs.Session, o Options) iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		f, err := s.OpenPipe("trace_pipe")
		if err != nil {
			yield(nil, err)
			return
		}
		defer f.Close()
		pipe, err := newLivePipe(ctx, f.File)
		if err != nil {
			yield(nil, err)
			return
		}
		defer pipe.watch()()
		p := NewParser(o)
		tally := s.Tally()
		for {
			n, state, err := pipe.read(p.Space(readSize))
			p.Fed(n)
			for ev := p.Next(state != pipeData); ev != nil; ev = p.Next(state != pipeData) {
				tally.Add(ev.Format.ID, 1)
				if !yield(ev, nil) {
					return
				}
			}
			if err := f.ReadError(err); err != nil {
				yield(nil, err)
				return
			}
			if state == pipeEnd {
				return
			}
			if o.Idle != nil {
				o.Idle()
			}
		}
	}
}
