package tracedat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// A source reads a part of the file sequentially. It keeps the first error; everything
// read after that is zero.
type source struct {
	r      io.ReaderAt
	off    int64 // offset of the next byte in r
	end    int64 // offset after the last byte in r
	order  binary.ByteOrder
	what   string // what is being read, for errors
	short  error  // the error if there are too few bytes
	err    error
	budget *quota // how many bytes may still be taken

	// For a section in memory: the offset at which it begins in the file, and whether
	// it is compressed there.
	base   int64
	packed bool
}

// at returns the offset in the file of the next byte, or of the section if it is
// compressed.
func (s *source) at() int64 {
	if s.packed {
		return s.base
	}
	return s.base + s.off
}

//go:noinline
func (s *source) fail(err error) {
	if s.err == nil {
		s.err = &Error{s.what, s.at(), err}
	}
}

// left returns the number of bytes before the end.
func (s *source) left() int64 { return max(0, s.end-s.off) }

// fill reads len(b) bytes and reports whether they were there.
func (s *source) fill(b []byte) bool {
	if s.err != nil {
		return false
	}
	if int64(len(b)) > s.left() {
		s.fail(s.short)
		return false
	}
	if n, err := s.r.ReadAt(b, s.off); n < len(b) {
		if errors.Is(err, io.EOF) {
			err = ErrTruncated
		}
		s.fail(err)
		return false
	}
	s.off += int64(len(b))
	return true
}

// text returns the next n bytes, of which there may be at most bound.
func (s *source) text(n uint64, what string, bound uint64) []byte {
	if !s.within(n, "bytes of "+what, bound) {
		return nil
	}
	return s.take(n)
}

// take returns the next n bytes in a new slice, or nil.
func (s *source) take(n uint64) []byte {
	switch {
	case s.err != nil:
		return nil
	case n > uint64(s.left()):
		s.fail(s.short)
		return nil
	case !s.within(n, "bytes", maxText):
		return nil
	}
	if err := s.budget.take(int64(n), "bytes of texts"); err != nil {
		s.fail(err)
		return nil
	}
	b := make([]byte, n)
	if !s.fill(b) {
		return nil
	}
	return b
}

// skip skips n bytes and reports whether they are there.
func (s *source) skip(n uint64) bool {
	if s.err == nil && n > uint64(s.left()) {
		s.fail(s.short)
	}
	if !s.within(n, "bytes", maxText) {
		return false
	}
	s.off += int64(n)
	return true
}

func (s *source) u8() byte {
	var b [1]byte
	s.fill(b[:])
	return b[0]
}

func (s *source) u16() uint16 {
	var b [2]byte
	if !s.fill(b[:]) {
		return 0
	}
	return s.order.Uint16(b[:])
}

func (s *source) u32() uint32 {
	var b [4]byte
	if !s.fill(b[:]) {
		return 0
	}
	return s.order.Uint32(b[:])
}

func (s *source) u64() uint64 {
	var b [8]byte
	if !s.fill(b[:]) {
		return 0
	}
	return s.order.Uint64(b[:])
}

// name reads a NUL-terminated string.
func (s *source) name() string {
	var name []byte
	var b [64]byte
	for s.err == nil {
		part := b[:min(int64(len(b)), s.left())]
		start := s.off
		if len(part) == 0 {
			s.fail(s.short)
		} else if s.fill(part) {
			if i := bytes.IndexByte(part, 0); i >= 0 {
				s.off = start + int64(i) + 1
				return string(append(name, part[:i]...))
			}
			name = append(name, part...)
			s.within(uint64(len(name)), "bytes of a name", maxName)
		}
	}
	return ""
}

// expect reads a fixed word.
func (s *source) expect(word string) {
	b := make([]byte, len(word))
	start := s.off
	if s.fill(b) && string(b) != word {
		s.off = start
		s.fail(ErrDamaged)
	}
}
