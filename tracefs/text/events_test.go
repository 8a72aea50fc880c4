package text

import (
	"io"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
)

// eventsOf parses all of r as text of a live session.
func eventsOf(p *Parser, r io.Reader) iter.Seq2[*tracefs.Event, error] {
	return func(yield func(*tracefs.Event, error) bool) {
		for {
			n, err := r.Read(p.Space(1 << 10))
			p.Fed(n)
			for ev := p.Next(err != nil); ev != nil; ev = p.Next(err != nil) {
				if !yield(ev, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
