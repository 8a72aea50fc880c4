// Package ringbuf decodes the pages of the kernel's trace ring buffer. A read(2) of
// per_cpu/cpuN/trace_pipe_raw returns one such page, a sub-buffer.
//
// A page has a header (time stamp, length of the data, flags), followed by records. A
// record is a 32-bit word, with 5 bits of type_len and 27 bits of time_delta, and a
// payload. The event's format file describes the payload.
//
// The bytes are not trusted: no page makes this package panic or read outside of the
// page. It does no I/O, keeps no copy and allocates only to report an error.
//
// See include/linux/ring_buffer.h (enum ring_buffer_type), kernel/trace/ring_buffer.c
// and the files events/header_page and events/header_event of tracefs.
package ringbuf

import "errors"

// Errors about a malformed page. The errors of Reset and Err wrap one of them and add
// the offset in the page.
var (
	// ErrLayout means that LongSize is neither 4 nor 8.
	ErrLayout = errors.New("size of long is not 4 or 8")
	// ErrShort means that the page is smaller than its header.
	ErrShort = errors.New("page is shorter than its header")
	// ErrCommit means that the page is too short for the data length in its header.
	ErrCommit = errors.New("data length is beyond the page")
	// ErrTruncated means that a record extends beyond the data.
	ErrTruncated = errors.New("record is beyond the data")
	// ErrLength means that a record has a length that no kernel writes.
	ErrLength = errors.New("impossible record length")
)

// LostUnknown is returned by Page.Lost if events were lost and the kernel did not store
// how many.
const LostUnknown = ^uint64(0)

// A Layout describes the pages; it comes from events/header_page.
type Layout struct {
	BigEndian bool
	LongSize  int // size of a kernel long in bytes, 4 or 8: that of commit and of the lost count
}

// HeaderSize returns the offset of a page's data in bytes. A 64-bit time stamp and a
// long precede it, on every architecture: those that align records to 8 bytes
// (RB_FORCE_8BYTE_ALIGNMENT) have 8-byte longs.
func (l Layout) HeaderSize() int { return 8 + l.LongSize }
