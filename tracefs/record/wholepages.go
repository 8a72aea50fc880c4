package record

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// leaveOut compares the pages of cpus with their checksums, and leaves out those at the end
// that are not whole: a power cut has taken them, or a part of them. Pages before that which
// are damaged stay, and keep their checksums. Pages whose checksums could not be written
// stay if they make sense. h.Sums then reads the checksums.
func (r *Recovered) leaveOut(h *tracedat.Header, cpus []tracedat.CPUSource, sums *os.File, name func(cpu int) string) error {
	byID := map[int]*endOfPages{}
	for i := range cpus {
		byID[cpus[i].ID] = &endOfPages{pages: cpus[i].Pages.(io.ReaderAt), size: cpus[i].Size}
	}
	in := bufio.NewReaderSize(sums, 64<<10)
	var b [tracedat.SumSize]byte
	page := make([]byte, h.PageSize)
	for {
		if _, err := io.ReadFull(in, b[:]); err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		} else if err != nil {
			return err
		}
		s, ok := tracedat.ParseSum(b[:], h.BigEndian)
		if !ok {
			continue // a hole, or it was not written to its end
		}
		c := byID[s.CPU]
		if c == nil { // no page was written to the disk
			r.Missing += uint64(s.Events)
			if file := name(s.CPU); !slices.Contains(r.Gone, file) {
				r.Gone = append(r.Gone, file)
			}
			continue
		}
		whole, err := c.whole(s, page)
		if err != nil {
			return fmt.Errorf("CPU %d: %w", s.CPU, err)
		}
		c.known = int64(s.Page+1) * int64(h.PageSize)
		if c.missing += uint64(s.Events); whole {
			c.end, c.missing = int64(s.Page+1)*int64(h.PageSize), 0
		}
	}
	layout := ringbuf.Layout{BigEndian: h.BigEndian, LongSize: h.LongSize}
	for i := range cpus {
		c := byID[cpus[i].ID]
		for c.end >= c.known && c.end+int64(len(page)) <= c.size && c.sound(layout, page) {
			c.end += int64(len(page))
		}
		r.Pages += int((cpus[i].Size - c.end) / int64(h.PageSize))
		r.Missing += c.missing
		cpus[i].Size = c.end
	}
	h.Sums = io.NewSectionReader(sums, 0, 1<<62)
	return nil
}

// endOfPages is where the pages of a CPU end.
type endOfPages struct {
	pages   io.ReaderAt
	size    int64
	known   int64  // end of the last page that has a checksum
	end     int64  // of the last page that is whole
	missing uint64 // events in later ones
}

// whole reports whether a page is as it was recorded.
func (c *endOfPages) whole(s tracedat.Sum, page []byte) (bool, error) {
	at := int64(s.Page) * int64(len(page))
	if at+int64(len(page)) > c.size {
		return false, nil
	}
	_, err := c.pages.ReadAt(page, at)
	return err == nil && tracedat.CRC(page) == s.CRC, err
}

// sound reports whether the page at the end makes sense.
func (c *endOfPages) sound(l ringbuf.Layout, b []byte) bool {
	if _, err := c.pages.ReadAt(b, c.end); err != nil {
		return false
	}
	var page ringbuf.Page
	if page.Reset(l, b) != nil || ringbuf.IsHole(b) {
		return false
	}
	for page.Next() {
	}
	return page.Err() == nil
}
