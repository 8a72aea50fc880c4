package tracedat

import (
	"fmt"
	"sync/atomic"
)

// A file says how much of everything it has. Each number is compared with what is there,
// and with one of these bounds, which real files stay far below: a compressed file could
// otherwise take a thousand times its size. A file takes at most 64 MiB and four times
// its size.
const (
	maxText     = 64 << 20  // bytes of a text that is not compressed; the largest is kallsyms, at most 30 MB
	maxPacked   = 24 << 20  // bytes of a compressed text, and twice its compressed size: distributions' kallsyms have 7 to 14 MB
	maxOptions  = 4 << 20   // bytes of a compressed section of options: 8192 CPUs have 2 MB
	maxHeader   = 64 << 10  // bytes of header_page or header_event: some 200
	maxSystems  = 4096      // event systems: some 150
	maxEvents   = 1 << 14   // event formats: some 3000
	maxFormat   = 256 << 10 // bytes of a format: at most 20 KB
	maxFormats  = 8 << 20   // bytes of all formats: some 3 MB
	maxFields   = 1024      // fields of an event: at most 140
	maxAll      = 1 << 16   // fields of all events: some 30,000
	maxPrintk   = 4 << 20   // bytes of printk_formats: some 300 KB
	maxCmdlines = 2 << 20   // bytes of saved_cmdlines: some 700 KB, usually 2 KB
	maxCPUs     = 8192      // entries of a table of CPUs: the most that Linux can be built for
	maxTables   = 1 << 16   // entries of all tables of CPUs: one for each CPU and instance
	maxSections = 1024      // sections of options: two to four
	maxName     = 4096      // bytes of a name of a system, a buffer or a clock
	maxPage     = 8 << 20   // bytes of a sub-buffer: order 7 with pages of 64 KiB
	maxChunk    = 16 << 20  // bytes of a chunk of pages: trace-cmd takes ten pages, tsnoop 128 KiB
	maxChunks   = 24 << 20  // bytes of chunks in memory, and twice the file's size
)

// A BoundError says that a file claims more of something than it may have. It wraps
// ErrDamaged.
type BoundError struct {
	What         string // "bytes of a format"
	Value, Bound uint64
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("%v: %d %s, more than %d", ErrDamaged, e.Value, e.What, e.Bound)
}

func (e *BoundError) Unwrap() error { return ErrDamaged }

// within reports whether a number is in its bound. If not, the source fails.
//
//go:noinline
func (s *source) within(n uint64, what string, bound uint64) bool {
	if s.err == nil && n > bound {
		s.fail(&BoundError{what, n, bound})
	}
	return s.err == nil
}

// A quota is how much of something all readers of a file may have together.
type quota struct {
	used  atomic.Int64
	bound int64
}

// take takes n and reports the error if that is too much.
func (q *quota) take(n int64, what string) error {
	if used := q.used.Add(n); used > q.bound {
		q.used.Add(-n)
		return &BoundError{what, uint64(used), uint64(q.bound)}
	}
	return nil
}

func (q *quota) give(n int64) { q.used.Add(-n) }
