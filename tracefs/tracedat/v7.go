package tracedat

import (
	"bytes"
	"fmt"
	"slices"
)

// readV7 reads a version 7 file, which has sections that options point to. The only
// error is an unsupported compression, or a file that ends before it.
func (o *opener) readV7(s *source) error {
	at := s.at()
	o.Compression = s.name()
	s.name() // the library's version
	first := s.u64()
	if s.err != nil {
		return s.err
	}
	switch o.Compression {
	case "none", "zstd", "zlib":
	default:
		return &Error{"compression", at, fmt.Errorf("%w: compression %q of trace.dat; this release reads none, zstd and zlib, a later one may read more", ErrUnsupported, o.Compression)}
	}
	o.sections = map[uint16]int64{}
	o.readOptionsV7(int64(first))
	for _, part := range []struct {
		id    uint16
		what  string
		bound uint64 // in bytes, if it is compressed
		read  func(*source)
	}{
		{optHeaders, "section of headers", 3 * maxHeader, o.readHeaders},
		{optFtrace, "section of ftrace events", maxFormats, o.readFtraceEvents},
		{optEvents, "section of event formats", 2 * maxFormats, o.readEvents}, // and names of systems
		{optPrintk, "section of printk formats", 2 * maxPrintk, o.readPrintk},
		{optCmdlines, "section of command lines", 2 * maxCmdlines, o.readCmdlines},
	} {
		if at, ok := o.sections[part.id]; ok {
			s := o.section(at, part.id, part.what, part.bound)
			part.read(s)
			o.damaged(s.err)
		}
	}
	if at, ok := o.sections[optKallsyms]; ok {
		o.kallsyms = func() ([]byte, error) {
			s := o.section(at, optKallsyms, "section of kallsyms", maxPacked)
			return s.take(uint64(s.u32())), s.err
		}
	}
	for i := range o.Buffers {
		o.readBufferV7(&o.Buffers[i])
	}
	o.Buffers = slices.DeleteFunc(o.Buffers, func(b Buffer) bool { return b.offset < 0 })
	return nil
}

// readOptionsV7 reads the chain of sections of options.
func (o *opener) readOptionsV7(at int64) {
	for n := 0; ; n++ {
		s := o.section(at, optDone, "section of options", maxOptions)
		s.within(uint64(n), "sections of options", maxSections)
		at = 0
		for s.err == nil && at == 0 {
			id := s.u16()
			place := s.at()
			data := s.take(uint64(s.u32()))
			switch {
			case s.err != nil:
			case id != optDone:
				o.readOption(id, data, place)
			case len(data) < 8:
				s.fail(ErrDamaged)
			default:
				if at = int64(o.order.Uint64(data)); at == 0 {
					return
				}
			}
		}
		if s.err != nil {
			o.damaged(s.err)
			return
		}
	}
}

// A sectionHeader is at the start of every section.
type sectionHeader struct {
	packed bool
	size   uint64 // size of the rest in the file, in bytes
}

// sectionHeader reads the header of a section. It returns a source positioned after the
// header, which has an error if there is no such section.
func (o *opener) sectionHeader(at int64, id uint16, what string) (*source, sectionHeader) {
	s := &source{r: o.r, off: at, end: o.size, order: o.order, what: what, short: ErrTruncated, budget: &o.budget}
	if at < 0 {
		s.fail(ErrDamaged)
	}
	got := s.u16()
	flags := s.u16()
	s.u32() // offset of a description in the section of strings
	size := s.u64()
	if s.err == nil && got != id {
		s.off = at
		s.fail(ErrDamaged)
	}
	return s, sectionHeader{flags&1 != 0, size}
}

// section reads a section into memory. If it is compressed it may have bound bytes, and
// twice as many as in the file.
func (o *opener) section(at int64, id uint16, what string, bound uint64) *source {
	s, h := o.sectionHeader(at, id, what)
	start := s.at()
	var data []byte
	if h.packed {
		data = o.unpackSection(s, bound)
	} else {
		data = s.take(h.size)
	}
	return &source{
		r: bytes.NewReader(data), end: int64(len(data)), order: o.order,
		what: what, short: ErrDamaged, err: s.err, budget: &o.budget,
		base: start, packed: h.packed,
	}
}

// unpackSection decompresses a compressed section, which is one block.
func (o *opener) unpackSection(s *source, bound uint64) []byte {
	start := s.off
	packed, size := uint64(s.u32()), uint64(s.u32())
	s.within(size, "bytes decompressed", bound+2*min(packed, uint64(s.left())))
	src := s.take(packed)
	if s.err != nil {
		return nil
	}
	data, err := o.memory.unpacker.unpack(o.Compression, nil, src, int(size))
	if err != nil {
		s.off = start
		s.fail(err)
	}
	return data
}

// readBufferV7 reads the header of the section with a buffer's pages.
func (o *opener) readBufferV7(b *Buffer) {
	if len(b.CPUs) == 0 {
		return
	}
	s, h := o.sectionHeader(b.offset, optBuffer, "section of pages")
	if s.err != nil {
		// It is not known whether its pages are compressed.
		o.damaged(s.err)
		b.offset = -1
		return
	}
	for i := range b.CPUs {
		b.CPUs[i].Compressed = h.packed
	}
}
