package ringbuf

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The word commit of the header; RB_MISSED_* in ring_buffer.c. Only the low 32 bits
// count: most kernels sign-extend them into an 8-byte long, 6.12.117 does not.
const (
	missedEvents = 1 << 31 // events were lost before this page
	missedStored = 1 << 30 // and their count is stored directly after the data
	lengthMask   = 0x3fff_ffff
)

// A Page iterates over the records of one sub-buffer. The zero value is ready for
// Reset.
type Page struct {
	// Stamp is the time of the record that Next found, in units of the instance's
	// trace_clock (nanoseconds for all but counter, uptime and x86-tsc).
	Stamp uint64
	// Data is the payload of the record that Next found, starting with common_type. It
	// is a slice of the page given to Reset. It has at least 4 bytes, and up to 7 bytes
	// of padding at the end, since the kernel rounds lengths up.
	Data []byte

	buf  []byte // the page, up to the end of its data
	pos  int    // offset of the next record in buf
	now  uint64 // time of the last record, including discarded ones
	big  bool
	time uint64
	lost uint64
	err  error // one of the package's errors, found at pos
}

// Reset starts reading page b, a whole sub-buffer of any size. The error wraps
// ErrLayout, ErrShort or ErrCommit; the page then has no records.
func (p *Page) Reset(l Layout, b []byte) error {
	*p = Page{big: l.BigEndian}
	header := l.HeaderSize()
	switch {
	case l.LongSize != 4 && l.LongSize != 8:
		p.err = ErrLayout
		return fmt.Errorf("%w: %d", ErrLayout, l.LongSize)
	case len(b) < header:
		p.err = ErrShort
		return fmt.Errorf("%w: %d bytes of %d", ErrShort, len(b), header)
	}
	p.time = p.uint64(b)
	p.now = p.time
	commit := uint32(p.long(b[8:], l.LongSize))
	size := int(commit & lengthMask)
	if size > len(b)-header {
		p.err, p.pos = ErrCommit, 8
		return fmt.Errorf("%w: %d bytes at byte %d of %d", ErrCommit, size, header, len(b))
	}
	end := header + size
	p.buf, p.pos = b[:end:end], header
	if commit&missedEvents != 0 {
		p.lost = p.stored(commit, b[end:], l.LongSize)
	}
	return nil
}

// stored reads the count after the data. If there is no room for it, the kernel sets
// only missedEvents (ring_buffer_read_page). A count of 0 would contradict that flag.
func (p *Page) stored(commit uint32, b []byte, long int) uint64 {
	if commit&missedStored == 0 || len(b) < long {
		return LostUnknown
	}
	if n := p.long(b, long); n != 0 {
		return n
	}
	return LostUnknown
}

// Lost returns the number of events lost before the first record of the page: 0, the
// kernel's count, or LostUnknown.
func (p *Page) Lost() uint64 { return p.lost }

// Err returns nil, or why Next found no further record. It wraps one of this package's
// errors and adds the offset in the page.
func (p *Page) Err() error {
	if p.err == nil {
		return nil
	}
	return fmt.Errorf("%w at byte %d", p.err, p.pos)
}

// fail ends the page at the record at pos.
func (p *Page) fail(err error) bool {
	p.err, p.Data, p.buf = err, nil, nil
	return false
}

func (p *Page) uint32(b []byte) uint32 {
	if p.big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}

func (p *Page) uint64(b []byte) uint64 {
	if p.big {
		return binary.BigEndian.Uint64(b)
	}
	return binary.LittleEndian.Uint64(b)
}

func (p *Page) long(b []byte, size int) uint64 {
	if size == 4 {
		return uint64(p.uint32(b))
	}
	return p.uint64(b)
}

// word reads the first word of a record at b and returns it in the little-endian layout
// of its bit fields: type_len in the low 5 bits, time_delta above. In the big-endian
// layout type_len is in the high 5 bits.
func (p *Page) word(b []byte) uint32 {
	w := binary.LittleEndian.Uint32(b)
	if p.big {
		w = bits.RotateLeft32(bits.ReverseBytes32(w), lenBits)
	}
	return w
}

// IsHole reports whether a page has no time and no events: no kernel returns such a page,
// but a file system returns it for what it has not written.
func IsHole(page []byte) bool {
	for _, b := range page[:min(16, len(page))] {
		if b != 0 {
			return false
		}
	}
	return true
}
