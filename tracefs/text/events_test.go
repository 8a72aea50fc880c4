package text

import (
	"io"
	"iter"

	"github.com/tsnoop/tsnoop/tracefs"
)

// Events parses all of r.
func (p *Parser) Events(r io.Reader) iter.Seq2[*tracefs.Event, error] {
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
				p.drop(len(p.buf))
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
