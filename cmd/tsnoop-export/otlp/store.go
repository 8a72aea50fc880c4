package otlp

// A store keeps texts that are dropped about in the order in which they came.
type store struct {
	now  *chunk // the one that is filled
	free []*chunk
}

const chunkSize = 64 << 10

// A chunk is memory for many texts.
type chunk struct {
	b    []byte
	live int // texts in it that are kept
}

// A text is some of a chunk.
type text struct {
	in       *chunk
	from, to int
}

func (t text) bytes() []byte { return t.in.b[t.from:t.to] }

// keep returns a copy of b.
func (s *store) keep(b []byte) text {
	if s.now == nil || len(b) > cap(s.now.b)-len(s.now.b) {
		full := s.now
		s.now = s.chunk(len(b))
		if full != nil && full.live == 0 {
			s.recycle(full)
		}
	}
	in := s.now
	from := len(in.b)
	in.b = append(in.b, b...)
	in.live++
	return text{in, from, len(in.b)}
}

func (s *store) chunk(least int) *chunk {
	if n := len(s.free); n > 0 && least <= chunkSize {
		c := s.free[n-1]
		s.free = s.free[:n-1]
		return c
	}
	return &chunk{b: make([]byte, 0, max(least, chunkSize))}
}

// drop gives up a text.
func (s *store) drop(t text) {
	if t.in.live--; t.in.live == 0 && t.in != s.now {
		s.recycle(t.in)
	}
}

func (s *store) recycle(c *chunk) {
	const most = 64 // what was needed once for many calls that waited is not kept
	if c.b = c.b[:0]; cap(c.b) == chunkSize && len(s.free) < most {
		s.free = append(s.free, c)
	}
}
