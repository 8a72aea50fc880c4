package tracedat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Header holds everything in a file except the pages. Its fields mean the same as
// those of File.
type Header struct {
	Version     int  // of the format: 6 or 7
	Zstd        bool // compress everything; only with Version 7
	BigEndian   bool
	LongSize    int // size of the kernel's long in bytes: 4 or 8
	PageSize    int // size of a sub-buffer in bytes, a power of two
	HeaderPage  string
	HeaderEvent string
	Events      []EventText
	Kallsyms    []byte
	Printk      []byte
	Cmdlines    map[int]string
	Clock       string // "" is the kernel's default, local
	Uname       string
	Recorder    string
	CPUStats    []string
	CPUs        int // CPUs that the machine can have
	Tsnoop      []byte
	Sums        io.Reader // encoded Sums in any order, nil for none
}

// A CPUSource holds what was recorded of a CPU.
type CPUSource struct {
	ID    int
	Size  int64     // bytes, a multiple of PageSize
	Pages io.Reader // may be nil if Size is 0
}

// Write writes a whole file with one buffer, the top-level one: everything in h, and
// the pages of cpus. There may be fewer of them than h.CPUs, in any order. w must be
// empty. If both w and a source are an *os.File, the kernel copies the pages
// (copy_file_range(2)).
//
// The error wraps io.ErrUnexpectedEOF if a source has fewer bytes than its Size.
func Write(w io.WriteSeeker, h *Header, cpus []CPUSource) error {
	byID, err := h.check(cpus)
	if err != nil {
		return fmt.Errorf("write trace.dat: %w", err)
	}
	wr := &writer{h: h, w: w, cpus: byID, spans: make([]span, len(byID))}
	if h.Version == 6 {
		err = wr.writeV6()
	} else {
		err = wr.writeV7()
	}
	if err != nil {
		return fmt.Errorf("write trace.dat: %w", err)
	}
	return nil
}

// check returns a source for each CPU that the machine can have, by ID.
func (h *Header) check(cpus []CPUSource) ([]CPUSource, error) {
	switch {
	case h.Version != 6 && h.Version != 7:
		return nil, fmt.Errorf("%w: version %d", ErrUnsupported, h.Version)
	case h.Zstd && h.Version == 6:
		return nil, fmt.Errorf("%w: version 6 with compression", ErrUnsupported)
	case h.LongSize != 4 && h.LongSize != 8:
		return nil, fmt.Errorf("long of %d bytes", h.LongSize)
	case !validPage(h.PageSize):
		return nil, fmt.Errorf("pages of %d bytes", h.PageSize)
	}
	for _, text := range [][]byte{h.Kallsyms, h.Printk, h.Tsnoop} {
		if len(text) > maxText {
			return nil, errors.New("text is too long")
		}
	}
	for _, e := range h.Events {
		if strings.IndexByte(e.System, 0) >= 0 {
			return nil, fmt.Errorf("event system %q", e.System)
		}
	}
	n := h.CPUs
	for _, c := range cpus {
		n = max(n, c.ID+1)
	}
	if n > maxCPUs {
		return nil, fmt.Errorf("%d CPUs", n)
	}
	byID := make([]CPUSource, max(n, 0))
	for _, c := range cpus {
		if c.ID < 0 || byID[c.ID].Size > 0 {
			return nil, fmt.Errorf("CPU %d is not a CPU, or there twice", c.ID)
		}
		if c.Size < 0 || c.Size%int64(h.PageSize) != 0 {
			return nil, fmt.Errorf("CPU %d: %d bytes are not whole pages", c.ID, c.Size)
		}
		byID[c.ID] = c
	}
	return byID, nil
}

// A writer writes one file.
type writer struct {
	h     *Header
	w     io.WriteSeeker
	cpus  []CPUSource // by ID
	spans []span      // by ID: where the pages of each CPU are
}

// A span is the place of something in the file, in bytes. size is the size in the table
// of CPUs, which is less than the real size of compressed pages.
type span struct{ off, size int64 }

// align returns the first multiple of the page size that is not less than off.
func (wr *writer) align(off int64) int64 {
	mask := int64(wr.h.PageSize) - 1
	return (off + mask) &^ mask
}

// plan sets the spans of uncompressed pages, starting at off or later, and returns the
// end.
func (wr *writer) plan(off int64) int64 {
	for i, c := range wr.cpus {
		off = wr.align(off)
		wr.spans[i] = span{off, c.Size}
		off += c.Size
	}
	return off
}

// copyPages writes uncompressed pages to their spans.
func (wr *writer) copyPages() error {
	for i, c := range wr.cpus {
		if c.Size == 0 {
			continue
		}
		if _, err := wr.w.Seek(wr.spans[i].off, io.SeekStart); err != nil {
			return err
		}
		n, err := io.Copy(wr.w, io.LimitReader(c.Pages, c.Size))
		if err == nil && n < c.Size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fmt.Errorf("data of CPU %d: %w", c.ID, err)
		}
	}
	return nil
}

// writeAt writes b at offset off in the file.
func (wr *writer) writeAt(b []byte, off int64) error {
	if _, err := wr.w.Seek(off, io.SeekStart); err != nil {
		return err
	}
	_, err := wr.w.Write(b)
	return err
}

// encoder returns an encoder with the file's byte order.
func (h *Header) encoder() *encoder {
	if h.BigEndian {
		return &encoder{order: binary.BigEndian}
	}
	return &encoder{order: binary.LittleEndian}
}
