package read

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
)

// A Page is a sub-buffer of one CPU as the kernel returned it.
type Page struct {
	CPU  int
	Data []byte // the whole sub-buffer; valid until the next Page
}

// FillTime is long enough that few of the pages that are kept are nearly empty.
const FillTime = 50 * time.Millisecond

// fewPages is the number of pages in one fetch below which there is time to wait.
const fewPages = 64

// Pages yields the pages of all CPUs of a session as they come, until ctx is done and
// the buffers are empty, or the session is closed. Pages may fill for a time before they
// are fetched. If a read fails, Pages yields the
// error and ends.
func Pages(ctx context.Context, s *tracefs.Session, fill time.Duration) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		r, err := newLiveReader(ctx, s, &Options{}, nil)
		if err != nil {
			yield(Page{}, err)
			return
		}
		defer r.close()
		for vain := false; ; {
			over := ctx.Err() != nil || s.Closing().Err() != nil
			n, more := r.fetch(yield)
			if vain && n > 0 {
				r.watchAgain()
			}
			vain = false
			switch {
			case !more:
				return
			case r.failed != nil:
				yield(Page{}, r.failed)
				return
			case over:
				return
			case n == 0:
				vain = r.waiter.wait(false, !r.allWatched())
			}
			if n < fewPages {
				r.waiter.sleep(fill.Nanoseconds())
			}
		}
	}
}

// fetch yields all pages that there are and returns their number n. more is false if
// the caller stops.
func (r *liveReader) fetch(yield func(Page, error) bool) (n int, more bool) {
	for _, p := range r.pipes {
		for {
			b, err := p.read()
			if errors.Is(err, errEmpty) || errors.Is(err, io.EOF) {
				break
			}
			n++
			if !yield(Page{p.cpu, b}, nil) {
				return n, false
			}
		}
	}
	return n, true
}
