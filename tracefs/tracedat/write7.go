package tracedat

import (
	"bufio"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Names of sections, besides those of parts.
const (
	nameOptions = "options"
	namePages   = "buffer flyrecord "
	nameStrings = "strings"
)

// writeV7 writes a version 7 file: the texts, the strings, the options and then the
// section of pages. Unlike in trace-cmd's files all options precede the pages, so that
// a file that is cut off in the pages can still be read.
func (wr *writer) writeV7() error {
	h, e := wr.h, wr.h.encoder()
	h.start(e)
	compression, library := "none", ""
	var enc *zstd.Encoder
	if h.Zstd {
		var err error
		if enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
			return err
		}
		defer enc.Close()
		compression, library = "zstd", "1.5.4" // trace-cmd only looks at the name
	}
	e.cString(compression)
	e.cString(library)
	first := len(e.b)
	e.u64(0) // set below
	sections := wr.encodeSections(e, enc)
	tail := int64(len(e.b))
	putU64(h, e.b[first:], tail)

	size := int64(len(wr.encodeTail(tail, 0, sections, 0))) // does not depend on the numbers
	end := wr.plan(tail + size)
	if h.Zstd {
		clear(wr.spans)
	}
	e.text(string(wr.encodeTail(tail, end-tail-size, sections, end)))
	if err := wr.writeAt(e.b, 0); err != nil {
		return err
	}
	if !h.Zstd {
		if err := wr.copyPages(); err != nil {
			return err
		}
		return wr.writeSums(end, e.b)
	}
	end, err := wr.packPages(tail+size, enc)
	if err != nil {
		return err
	}
	e.b = append(e.b[:tail], wr.encodeTail(tail, end-tail-size, sections, end)...)
	if err := wr.writeAt(e.b[tail:], tail); err != nil {
		return err
	}
	return wr.writeSums(end, e.b)
}

func putU64(h *Header, b []byte, n int64) {
	e := h.encoder()
	e.u64(n)
	copy(b, e.b)
}

// stringTable returns the content of the section of strings, and the offset in it at
// which each name begins.
func stringTable() (text string, at map[string]int) {
	at = map[string]int{}
	add := func(name string) {
		at[name] = len(text)
		text += name + "\x00"
	}
	for _, p := range parts {
		add(p.name)
	}
	add(nameOptions)
	add(namePages)
	add(nameStrings)
	return text, at
}

// encodeSections writes the sections that options point to, and the section of strings.
// It returns the offsets of the parts' sections.
func (wr *writer) encodeSections(e *encoder, enc *zstd.Encoder) []int64 {
	text, names := stringTable()
	var at []int64
	for _, p := range parts {
		at = append(at, int64(len(e.b)))
		body := wr.h.encoder()
		p.encode(wr.h, body)
		e.section(p.id, names[p.name], body.b, enc)
	}
	e.section(optStrings, names[nameStrings], []byte(text), enc)
	return at
}

// sectionSize is the size of a section's header in bytes.
const sectionSize = 16

func (e *encoder) sectionHeader(id uint16, packed bool, name int, size int64) {
	var flags uint16
	if packed {
		flags = 1
	}
	e.u16(id)
	e.u16(flags)
	e.u32(name)
	e.u64(size)
}

// section writes a section, compressed unless enc is nil.
func (e *encoder) section(id uint16, name int, body []byte, enc *zstd.Encoder) {
	if enc == nil {
		e.sectionHeader(id, false, name, int64(len(body)))
		e.b = append(e.b, body...)
		return
	}
	packed := enc.EncodeAll(body, nil)
	e.sectionHeader(id, true, name, 8+int64(len(packed)))
	e.u32(len(packed))
	e.u32(len(body))
	e.b = append(e.b, packed...)
}

// encodeTail encodes the section of options, which begins at the offset tail, and the
// header of the section of pages, which has a size of pages bytes. The table of checksums
// is at the offset sums.
func (wr *writer) encodeTail(tail, pages int64, sections []int64, sums int64) []byte {
	_, names := stringTable()
	h, body := wr.h, wr.h.encoder()
	for i, p := range parts {
		at := h.encoder()
		at.u64(sections[i])
		body.option(p.id, string(at.b))
	}
	wr.encodeOptions(body, sums)
	done := h.encoder()
	done.u64(0) // no more sections of options
	rest := len(wr.encodeBuffer(0)) + 6 + 6 + len(done.b)
	body.option(optBuffer, string(wr.encodeBuffer(tail+sectionSize+int64(len(body.b)+rest))))
	body.option(optDone, string(done.b))

	e := h.encoder()
	e.section(optDone, names[nameOptions], body.b, nil)
	e.sectionHeader(optBuffer, h.Zstd, names[namePages], pages)
	return e.b
}

// encodeBuffer encodes the data of the option BUFFER. The section of pages is at offset
// at.
func (wr *writer) encodeBuffer(at int64) []byte {
	e := wr.h.encoder()
	e.u64(at)
	e.cString("") // the top-level buffer
	clock := wr.h.clock()
	e.cString(clock[1 : len(clock)-1])
	e.u32(wr.h.PageSize)
	e.u32(len(wr.spans))
	for id, s := range wr.spans {
		e.u32(id)
		e.u64(s.off)
		e.u64(s.size)
	}
	return e.b
}

// chunkSize returns how many bytes of pages are compressed at a time. trace-cmd takes ten
// pages. Who reads the file has a chunk of every CPU in memory.
func (wr *writer) chunkSize() int {
	const most, all = 128 << 10, 16 << 20
	page := wr.h.PageSize
	return max(page, min(most, all/len(wr.cpus))/page*page)
}

// packPages writes compressed pages, starting at off or later, and sets their spans. It
// returns the end.
func (wr *writer) packPages(off int64, enc *zstd.Encoder) (int64, error) {
	for i, c := range wr.cpus {
		if c.Size == 0 {
			continue
		}
		off = wr.align(off)
		n, err := wr.packCPU(c, off, enc)
		if err != nil {
			return 0, fmt.Errorf("data of CPU %d: %w", c.ID, err)
		}
		// trace-cmd does not include the count of chunks.
		wr.spans[i] = span{off, n - 4}
		off += n
	}
	return off, nil
}

// packCPU writes the chunks of a CPU and returns their size, including the count of
// chunks at the start.
func (wr *writer) packCPU(c CPUSource, off int64, enc *zstd.Encoder) (int64, error) {
	if _, err := wr.w.Seek(off, io.SeekStart); err != nil {
		return 0, err
	}
	out := bufio.NewWriterSize(wr.w, 1<<20)
	in := make([]byte, wr.chunkSize())
	e := wr.h.encoder()
	chunks := (c.Size + int64(len(in)) - 1) / int64(len(in))
	e.u32(int(chunks))
	var total int64
	var packed []byte
	for left := c.Size; ; {
		n, err := out.Write(e.b)
		if total += int64(n); err != nil {
			return 0, err
		}
		if left == 0 {
			return total, out.Flush()
		}
		part := in[:min(left, int64(len(in)))]
		if _, err := io.ReadFull(c.Pages, part); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		left -= int64(len(part))
		packed = enc.EncodeAll(part, packed[:0])
		e.b = e.b[:0]
		e.u32(len(packed))
		e.u32(len(part))
		e.b = append(e.b, packed...)
	}
}
