package tracefs

import (
	"context"
	"iter"
)

// readSize is more than the kernel gives at once, two pages of at most 64 KiB.
// So a read never ends inside a record, unless the record is cut anyway.
const readSize = 256 << 10

// ReadText reads the events of the session as trace_pipe's text. It consumes
// them. When ctx is done it gives what is still in the buffers and ends; call
// Stop before, or there may be no end. It waits without spinning and ends
// early if the session is closed.
//
// Text has µs where the buffer has ns, shows task names of 15 bytes that
// may be missing ("<...>"), and loses more events than binary reading.
// An error ends the sequence.
func (s *Session) ReadText(ctx context.Context, o TextOptions) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		f, err := s.pipes.open(s.fs, s.path("trace_pipe"))
		if err != nil {
			yield(nil, err)
			return
		}
		defer s.pipes.close(f)
		pipe, err := newLivePipe(ctx, f)
		if err != nil {
			yield(nil, err)
			return
		}
		defer pipe.watch()()
		p := NewTextParser(o)
		for {
			n, state, err := pipe.read(p.Space(readSize))
			p.Fed(n)
			for ev := p.Next(state != pipeData); ev != nil; ev = p.Next(state != pipeData) {
				if !yield(ev, nil) {
					return
				}
			}
			if err := s.pipes.readError(f, err); err != nil {
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
