// Package ringbuf decodes the pages of the kernel's trace ring buffer, as
// per_cpu/cpuN/trace_pipe_raw hands them out: one sub-buffer a read(2).
//
// A page is a header (time stamp, length of the data, flags) and then records,
// each a 32-bit word of 5 bits type_len and 27 bits time_delta, and its payload.
// What a payload means is in the event's format file, not here.
//
// The bytes are not trusted: no page makes this package panic or read outside
// of it. It does no I/O, keeps no copy and allocates only to report an error.
//
// See include/linux/ring_buffer.h (enum ring_buffer_type), kernel/trace/ring_buffer.c
// and the files events/header_page and events/header_event of tracefs.
package ringbuf

import "errors"

// Errors about a malformed page. Those that Reset and Err return wrap one of
// them and tell the offset in the page.
var (
	// ErrLayout: LongSize is neither 4 nor 8.
	ErrLayout = errors.New("size of long is not 4 or 8")
	// ErrShort: the page is smaller than its header.
	ErrShort = errors.New("page is shorter than its header")
	// ErrCommit: the data that the header announces do not fit into the page.
	ErrCommit = errors.New("data length is beyond the page")
	// ErrTruncated: a record runs over the end of the data.
	ErrTruncated = errors.New("record is beyond the data")
	// ErrLength: a record stores a length that no kernel writes.
	ErrLength = errors.New("impossible record length")
)

// LostUnknown is what Page.Lost returns when events were lost and the kernel
// did not store how many.
const LostUnknown = ^uint64(0)

// A Layout says how pages look; it comes from events/header_page.
type Layout struct {
	BigEndian bool
	LongSize  int // bytes of a kernel long: 4 or 8; the size of commit and of the stored count
}

// HeaderSize is the offset in bytes of a page's data: a 64-bit time stamp and
// a long come first. That is so on every architecture; those that align
// records to 8 bytes (RB_FORCE_8BYTE_ALIGNMENT) have longs of 8.
func (l Layout) HeaderSize() int { return 8 + l.LongSize }
