package tracedat

// A Memory is what the readers of many files that are open at once share: the decoders, which
// take some MB, and a bound for the pages that each file holds. Goroutines must not read files of
// one Memory at the same time.
type Memory struct {
	unpacker unpacker
	each     int64  // bytes of pages that a file may hold; 0 for as many as read fastest
	whole    []byte // a chunk of which a reader keeps a part
}

// NewMemory returns a Memory for files each of which holds about so many bytes of pages, and at
// least one page for each CPU.
func NewMemory(each int64) *Memory { return &Memory{each: each} }

// shareOf returns how many bytes of pages one of so many CPUs may hold; 0 for any number.
func (m *Memory) shareOf(cpus int) int64 {
	if m == nil {
		return 0
	}
	return m.each / int64(max(cpus, 1))
}

// fillPart decompresses a chunk and keeps only the pages that there is room for. The chunk is
// decompressed again for those after them.
func (p *PageReader) fillPart(start int64, src []byte, size int64) {
	m := p.c.file.memory
	whole, err := m.unpacker.unpack(p.c.file.Compression, m.whole, src, int(size))
	if err != nil {
		if p.page+(size-p.done)/int64(p.c.pageSize) > p.c.sums.pages {
			p.fail(start, err)
			return
		}
		if int64(cap(m.whole)) < size {
			m.whole = make([]byte, size)
		}
		whole = m.whole[:size]
		clear(whole) // as for all of a chunk
	}
	m.whole = whole
	part := whole[min(p.done, size):min(p.done+p.c.file.keepSize, size)]
	if err := p.grow(int64(len(part))); err != nil {
		p.fail(start, err)
		return
	}
	p.out = append(p.out[:0], part...)
	p.rest = p.out
	p.chunk, p.done = start, p.done+int64(len(part))
	if p.done >= size {
		p.done = 0
	}
}
