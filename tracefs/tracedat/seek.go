package tracedat

import "math"

// PageTimes are the times of the first and of the last event of a page.
type PageTimes struct{ First, Last uint64 }

// mostListed limits how many chunks are listed, in 16 bytes each. They hold 40 KiB or more
// if they are not crafted.
const mostListed = 1 << 20

// mostTries is how many pages in a row may have no time before the search is given up.
const mostTries = 8

// PagesFrom returns a reader for the pages of a CPU that can hold events of time t or later.
// The first page is found by bisection: each page begins no earlier than the one before it
// ends. timesOf returns the times in a page, or false if it has none. Pages of a damaged or
// crafted file may not be in the order of their times; if that is noticed, or there is doubt,
// the reader begins earlier, at worst with the first page.
func (c *CPU) PagesFrom(t uint64, timesOf func(page []byte) (PageTimes, bool)) *PageReader {
	blocks := c.blocks()
	return c.pagesOf(blocks, c.find(blocks, t, timesOf))
}

// Last returns the last page of a CPU that has times, and its times.
func (c *CPU) Last(timesOf func(page []byte) (PageTimes, bool)) (last PageTimes, ok bool) {
	blocks := c.blocks()
	for i := blocks.len() - 1; i >= 0 && i >= blocks.len()-mostTries; i-- {
		p := c.pagesOf(blocks, i)
		p.step = 1
		for b, err := p.Next(); b != nil; b, err = p.Next() {
			if times, has := timesOf(b); has && err == nil {
				last, ok = times, true
			}
			if blocks.chunks == nil { // a block is one page
				break
			}
		}
		p.release()
		if ok {
			break
		}
	}
	return last, ok
}

// A blockList lists where pages can be read from: each page of a plain section, each chunk of
// a compressed one.
type blockList struct {
	pages  int // of a plain section
	chunks []chunk
	count  uint32 // of chunks, as the section says
}

// A chunk has its offset in the file and the index of its first page.
type chunk struct{ off, page int64 }

func (l *blockList) len() int { return max(l.pages, len(l.chunks)) }

// blocks lists the blocks of a CPU. It reads only the sizes of the chunks of a compressed
// section.
func (c *CPU) blocks() *blockList {
	l := &blockList{}
	if !c.Compressed {
		l.pages = int(max(0, min(c.Size, c.file.size-c.offset)) / int64(c.pageSize))
		return l
	}
	var head [chunkHead]byte
	read := func(n int, off int64) bool {
		got, _ := c.file.r.ReadAt(head[:n], off)
		return got == n && off+int64(n) <= c.end()
	}
	if !read(4, c.offset) {
		return l
	}
	l.count = c.file.order.Uint32(head[:])
	for at := (chunk{off: c.offset + 4}); uint32(len(l.chunks)) < l.count && len(l.chunks) < mostListed && read(chunkHead, at.off); {
		l.chunks = append(l.chunks, at)
		packed, size := int64(c.file.order.Uint32(head[:])), int64(c.file.order.Uint32(head[4:]))
		if size == 0 || size%int64(c.pageSize) != 0 || size > maxChunk {
			break // the reader reports it if it comes there
		}
		at = chunk{at.off + chunkHead + packed, at.page + size/int64(c.pageSize)}
	}
	return l
}

// pagesOf returns a reader for the pages from block i on.
func (c *CPU) pagesOf(l *blockList, i int) *PageReader {
	switch {
	case i <= 0 || i >= l.len():
		return c.Pages()
	case !c.Compressed:
		return &PageReader{c: c, what: c.what(), pos: c.offset + int64(i)*int64(c.pageSize), end: c.end(), page: int64(i)}
	}
	at := l.chunks[i]
	return &PageReader{c: c, what: c.what(), pos: at.off, end: c.end(), page: at.page, chunks: l.count - uint32(i)}
}

// find returns the last block that begins before t, 0 if there is none.
func (c *CPU) find(l *blockList, t uint64, timesOf func(page []byte) (PageTimes, bool)) int {
	probe := func(i int) (PageTimes, bool) {
		p := c.pagesOf(l, i)
		defer p.release()
		p.step = 1 // no more than the block
		b, err := p.Next()
		if b == nil || err != nil {
			return PageTimes{}, false
		}
		return timesOf(b)
	}
	// Block lo begins before t, if any does; block hi does not, or there is none. No page
	// between them is earlier than least or later than most.
	lo, hi := 0, l.len()
	least, most := uint64(0), uint64(math.MaxUint64)
	if hi > 1 {
		if times, ok := probe(0); ok {
			least = times.Last
		}
		if times, ok := probe(hi - 1); ok {
			most = times.Last
		}
	}
	for hi-lo > 1 {
		i := lo + (hi-lo)/2
		times, ok := probe(i)
		for tries := 1; !ok && tries < mostTries && i+1 < hi; tries++ {
			i++
			times, ok = probe(i)
		}
		switch {
		case !ok:
			return lo
		case times.First < least || times.Last > most || times.Last < times.First:
			return 0
		case times.First < t:
			lo, least = i, times.Last
		default:
			hi, most = i, times.First
		}
	}
	return lo
}
