package tracedat

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tsnoop/tsnoop/tracefs"
)

// magic is at the start of every file, in every version.
const magic = "\x17\x08\x44tracing"

// Is reports whether a file is a trace.dat file, of whatever version.
func Is(r io.ReaderAt) bool {
	b := make([]byte, len(magic))
	n, _ := r.ReadAt(b, 0)
	return string(b[:n]) == magic
}

// Open reads everything in a file except the pages. r must stay readable while those
// are read. size is the size of the file in bytes.
//
// The errors wrap ErrNotTrace, ErrUnsupported, or ErrTruncated if not even the first
// few dozen bytes are there. All other problems are in File.Damage.
func Open(r io.ReaderAt, size int64) (*File, error) { return OpenIn(r, size, &Memory{}) }

// OpenIn is Open for a file whose readers use m.
func OpenIn(r io.ReaderAt, size int64, m *Memory) (*File, error) {
	f := &File{r: r, size: size, memory: m, Compression: "none", Cmdlines: map[int]string{}}
	o := &opener{File: f, budget: quota{bound: maxPacked + size}}
	s := &source{r: r, end: size, order: binary.LittleEndian, what: "header", short: ErrTruncated, budget: &o.budget}
	f.chunks.bound = maxChunks + 2*size
	if err := f.readStart(s); err != nil {
		return nil, err
	}
	if f.Version == 6 {
		o.readV6(s)
	} else if err := o.readV7(s); err != nil {
		return nil, err
	}
	o.finish()
	return f, nil
}

// An opener holds what Open needs besides the file.
type opener struct {
	*File
	budget   quota  // bytes of sections and options that are kept
	cpus     int    // entries in each table of CPUs of a version 6 file
	table    int    // entries in all tables of CPUs so far
	formats  uint64 // bytes of formats so far
	fields   uint64 // fields of formats so far
	sections map[uint16]int64
	sums     []sumSpan // by CPU
	sumsFor  [2]byte   // version and compression of the file that they are right for
}

// readStart reads the start of the file, which all versions have.
func (f *File) readStart(s *source) error {
	s.expect(magic)
	if errors.Is(s.err, ErrDamaged) {
		return ErrNotTrace
	}
	version := s.name()
	flags := s.u8()
	f.LongSize = int(s.u8())
	f.order = binary.LittleEndian
	if flags != 0 {
		f.BigEndian, f.order = true, binary.BigEndian
	}
	s.order = f.order
	f.PageSize = int(int32(s.u32()))
	if s.err != nil {
		return s.err
	}
	switch version {
	case "6":
		f.Version = 6
	case "7":
		f.Version = 7
	default:
		return &Error{"version", int64(len(magic)), fmt.Errorf("%w: version %q of trace.dat; this release reads 6 and 7, a later one may read more", ErrUnsupported, version)}
	}
	return nil
}

func validPage(size int) bool {
	return size >= 256 && size <= maxPage && size&(size-1) == 0
}

// finish makes the sizes of longs and pages and the extents of the CPUs' data agree
// with the rest of the file, or refuses them.
func (o *opener) finish() {
	f := o.File
	h, _ := tracefs.ParseHeaderPage(strings.NewReader(f.HeaderPage)) // as far as it makes sense
	long, page := h.LongSize, h.Size
	if long == 4 || long == 8 {
		// The byte in the header is the size of trace-cmd's long, which may be a 32-bit
		// program on a 64-bit kernel.
		f.LongSize = long
	}
	// The header has the machine's page size, even if the buffer consists of larger
	// sub-buffers (since 6.8).
	if validPage(page) && (page > f.PageSize || !validPage(f.PageSize)) {
		f.PageSize = page
	}
	if f.LongSize != 4 && f.LongSize != 8 || !validPage(f.PageSize) {
		f.damaged(&Error{"sizes of long and page", int64(len(magic)), ErrDamaged})
		f.LongSize, f.PageSize, f.Buffers = 8, 4096, nil
	}
	for i := range f.Buffers {
		b := &f.Buffers[i]
		if b.PageSize == 0 || b.Name == "" {
			b.PageSize = max(b.PageSize, f.PageSize)
		}
		if b.Name == "" && f.Clock == "" {
			f.Clock = b.Clock
		}
		for j := range b.CPUs {
			c := &b.CPUs[j]
			c.file, c.pageSize = f, b.PageSize
			if c.Size > 0 && c.offset+c.Size > f.size {
				f.damaged(&Error{c.what(), f.size, ErrTruncated})
			}
		}
	}
	f.share()
	o.finishSums()
	o.checkEnd()
	o.checkHead()
}

// checkEnd looks for another recording right after this one: cat(1) can't join them.
func (o *opener) checkEnd() {
	var end int64
	for _, b := range o.Buffers {
		for _, c := range b.CPUs {
			end = max(end, c.offset+c.Size)
		}
	}
	for _, s := range o.sums {
		end = max(end, s.off+s.pages*SumSize)
	}
	if s, ok := o.sumAt(end); ok && s.CPU == headCPU {
		end += SumSize
	}
	if end > 0 && Is(io.NewSectionReader(o.r, end, int64(len(magic)))) {
		o.damaged(&Error{"another recording", end, ErrSecond})
	}
}

// share makes sure that reading all CPUs at once does not take more memory than the
// file's size justifies: no two may share bytes, and the more CPUs there are, the less
// is read at a time.
func (f *File) share() {
	var cpus []*CPU
	for i := range f.Buffers {
		for j := range f.Buffers[i].CPUs {
			if c := &f.Buffers[i].CPUs[j]; c.Size > 0 {
				cpus = append(cpus, c)
			}
		}
	}
	slices.SortStableFunc(cpus, func(a, b *CPU) int { return cmp.Compare(a.offset, b.offset) })
	var end int64
	for _, c := range cpus {
		if c.offset < end {
			f.damaged(&Error{c.what(), c.offset, ErrDamaged})
			c.Size = 0
			continue
		}
		end = c.offset + c.Size
	}
	f.readSize = maxRead
	for f.readSize > minRead && f.readSize*int64(len(cpus)) > 256<<20 {
		f.readSize /= 2
	}
	if each := f.memory.shareOf(len(cpus)); each > 0 {
		f.keepSize = 1 // a page
		for i := range cpus {
			size := int64(cpus[i].pageSize)
			f.keepSize = max(f.keepSize, each*3/4/size*size, size)
		}
		f.readSize = min(f.readSize, max(each, leastRead))
	}
}

// add adds a buffer; the top-level one comes first.
func (o *opener) add(b Buffer) {
	switch {
	case b.Name != "":
		o.Buffers = append(o.Buffers, b)
	case len(o.Buffers) > 0 && o.Buffers[0].Name == "":
		o.Buffers[0] = b
	default:
		o.Buffers = append([]Buffer{b}, o.Buffers...)
	}
}
