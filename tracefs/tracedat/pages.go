package tracedat

import (
	"errors"
	"fmt"
	"io"
)

// maxRead and minRead limit how much of a CPU's data is read at a time, in bytes. A reader
// begins with firstRead and reads twice as much each time: who wants few pages reads few.
const (
	maxRead   = 1 << 20
	minRead   = 64 << 10
	firstRead = 16 << 10
	leastRead = 8 << 10 // with a Memory for many files
)

// A PageReader reads the pages of a CPU, one after another. It holds one buffer of 1
// MiB, or less if there are hundreds of CPUs, or one chunk of a compressed file. It
// need not be closed.
type PageReader struct {
	c    *CPU
	what string
	pos  int64  // offset in the file of what was not read yet
	end  int64  // end of the CPU's data in the file
	in   []byte // pages that were read, or compressed bytes
	rest []byte // pages that were not returned yet
	err  error  // returned after rest
	step int64  // how much was asked for last, in bytes; 0 for nothing yet

	page     int64  // index of the next page
	sumBlock []byte // the checksums of some pages

	// For compressed data.
	out    []byte
	raw    []byte // the part of in that was not decompressed yet
	chunks uint32 // chunks left
	chunk  int64  // offset of a chunk in the file of whose pages
	done   int64  // so many bytes were taken; 0 if all were
}

// end returns the offset in the file after the CPU's data.
func (c *CPU) end() int64 {
	if c.Compressed {
		// The size does not include the count of chunks at the start: trace-cmd 3.1.6,
		// tracecmd_compress_copy_from.
		return c.offset + 4 + c.Size
	}
	return c.offset + c.Size
}

// Offset returns the offset of the CPU's data in the file.
func (c *CPU) Offset() int64 { return c.offset }

// what names the CPU's data in errors.
func (c *CPU) what() string { return fmt.Sprintf("data of CPU %d", c.ID) }

// Pages returns a reader for a CPU's pages, in order. Several readers may be in use at
// the same time, even for the same CPU.
func (c *CPU) Pages() *PageReader {
	p := &PageReader{c: c, what: c.what(), pos: c.offset, end: c.end()}
	switch {
	case c.Size == 0:
		p.err = io.EOF
	case c.Compressed:
		if b := p.need(4); b != nil {
			p.chunks = c.file.order.Uint32(b)
		}
	}
	return p
}

// Next returns the next page, which is valid until the next call. With a page, the error
// may be a *DamagedPage. Without, the error is io.EOF at the end. Any other error is an
// *Error that says where the file is damaged; every later call returns it again.
func (p *PageReader) Next() ([]byte, error) {
	size := p.c.pageSize
	for len(p.rest) < size {
		if p.err != nil {
			p.release()
			return nil, p.err
		}
		if p.c.Compressed {
			p.fillPacked()
		} else {
			p.fill()
		}
	}
	page := p.rest[:size:size]
	p.rest = p.rest[size:]
	return page, p.check(page)
}

// release gives back the memory of a reader that has come to its end.
func (p *PageReader) release() {
	p.c.file.chunks.give(int64(cap(p.out)))
	p.c.file.memory.unpacker.keep(p.out)
	p.in, p.out, p.raw, p.rest = nil, nil, nil, nil
}

func (p *PageReader) fail(at int64, err error) {
	if p.err == nil {
		p.err = &Error{p.what, at, err}
	}
}

// read appends up to n bytes of the CPU's data to b: fewer at the end of the data or of
// the file.
func (p *PageReader) read(b []byte, n int64) []byte {
	n = max(0, min(n, p.end-p.pos, p.c.file.size-p.pos))
	have := len(b)
	if int64(cap(b)-have) < n {
		grown := make([]byte, have, int64(have)+n)
		copy(grown, b)
		b = grown
	}
	got, err := p.c.file.r.ReadAt(b[have:have+int(n)], p.pos)
	if int64(got) == n || errors.Is(err, io.EOF) {
		err = nil
	}
	p.pos += int64(got)
	if err != nil {
		p.fail(p.pos, err)
	}
	return b[:have+got]
}

// ahead returns how much to read at a time now, at most most.
func (p *PageReader) ahead(most int64) int64 {
	if p.step == 0 {
		p.step = min(firstRead, most)
	} else {
		p.step = min(2*p.step, most)
	}
	return p.step
}

// fill reads uncompressed pages.
func (p *PageReader) fill() {
	size := int64(p.c.pageSize)
	p.in = p.read(p.in[:0], max(p.ahead(p.c.file.readSize)/size*size, size))
	p.rest = p.in
	// Each read is a multiple of the page size.
	if rest := int64(len(p.in)) % size; rest != 0 || len(p.in) == 0 {
		if rest == 0 && p.pos == p.end && p.err == nil {
			p.err = io.EOF
		}
		p.fail(p.pos, ErrTruncated)
	}
}

// need returns the next n compressed bytes, or nil if they are not there.
func (p *PageReader) need(n int64) []byte {
	if n > p.end-p.pos+int64(len(p.raw)) {
		p.fail(p.pos-int64(len(p.raw)), ErrDamaged)
		return nil
	}
	if int64(len(p.raw)) < n {
		have := copy(p.in[:len(p.raw)], p.raw)
		p.in = p.read(p.in[:have], max(n, p.ahead(p.c.file.readSize/4)))
		p.raw = p.in
	}
	if int64(len(p.raw)) < n {
		p.fail(p.pos, ErrTruncated)
		return nil
	}
	b := p.raw[:n]
	p.raw = p.raw[n:]
	return b
}

// chunkHead is the size in bytes of the two sizes before each chunk.
const chunkHead = 8

// fillPacked decompresses the next chunk.
func (p *PageReader) fillPacked() {
	p.rest = nil
	if p.done > 0 {
		p.pos, p.raw = p.chunk, nil
		p.chunks++
	}
	if p.chunks == 0 {
		at := p.pos - int64(len(p.raw))
		// Where the disk has lost the end of a file, the count of chunks is 0.
		if p.page < p.c.sums.pages || p.end-at >= chunkHead {
			p.fail(at, ErrDamaged)
		}
		if p.err == nil {
			p.err = io.EOF
		}
		return
	}
	p.chunks--
	start := p.pos - int64(len(p.raw))
	head := p.need(chunkHead)
	if head == nil {
		return
	}
	order := p.c.file.order
	packed, size := int64(order.Uint32(head)), int64(order.Uint32(head[4:]))
	// A chunk holds whole pages; otherwise trace-cmd could not find them either.
	if size == 0 || size%int64(p.c.pageSize) != 0 {
		p.fail(start, ErrDamaged)
		return
	}
	if size > maxChunk {
		p.fail(start, &BoundError{"bytes of a chunk", uint64(size), maxChunk})
		return
	}
	src := p.need(packed)
	if src == nil {
		return
	}
	if keep := p.c.file.keepSize; keep > 0 && size > keep {
		p.fillPart(start, src, size)
		return
	}
	if err := p.grow(size); err != nil {
		p.fail(start, err)
		return
	}
	out, err := p.c.file.memory.unpacker.unpack(p.c.file.Compression, p.out, src, int(size))
	switch {
	case err == nil:
	case p.page+size/int64(p.c.pageSize) <= p.c.sums.pages:
		out = p.out[:size]
		clear(out) // the checksums say that none of these pages is right
	default:
		p.fail(start, err)
		return
	}
	p.rest = out
}

// grow makes room for a chunk.
func (p *PageReader) grow(size int64) error {
	had := int64(cap(p.out))
	if size <= had {
		return nil
	}
	if err := p.c.file.chunks.take(size-had, "bytes of chunks of all CPUs"); err != nil {
		return err
	}
	p.out = p.c.file.memory.unpacker.room(int(size))
	if more := int64(cap(p.out)) - size; more > 0 && p.c.file.chunks.take(more, "") != nil {
		p.out = make([]byte, size)
	}
	return nil
}
