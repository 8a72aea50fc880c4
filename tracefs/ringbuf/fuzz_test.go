package ringbuf_test

import (
	"bytes"
	"cmp"
	"errors"
	"testing"
	"unsafe"

	"github.com/tsnoop/tsnoop/testdata/badinput"
	"github.com/tsnoop/tsnoop/tracefs/ringbuf"
)

// FuzzPage reads one page of any bytes; the first byte chooses the layout.
// With -fuzzminimizetime 10x: pages are large, and minimizing takes all the time.
func FuzzPage(f *testing.F) {
	for _, tt := range recordTests { // small, and damaged in every way
		for i, l := range layouts {
			f.Add(append([]byte{byte(i)}, build(l, cmp.Or(tt.time, start), 3<<30, tt.data, long(9))...))
		}
	}
	f.Add([]byte{0, 1, 2})
	f.Add(append([]byte{0}, build(layouts[0], start, 1<<30-1, nil)...))
	for _, kernel := range kernels {
		rec := load(f, kernel)
		for _, s := range rec.scenarios {
			for _, b := range s.pages {
				if len(b) > 4096 {
					continue // large inputs make it slow
				}
				for i, l := range layouts {
					f.Add(append([]byte{byte(i)}, convert(l, b)...))
				}
			}
		}
	}
	badinput.Fuzz(f, func(t *testing.T, input []byte) {
		if len(input) == 0 {
			return
		}
		l, page := layouts[input[0]%4], input[1:]
		before := bytes.Clone(page)
		var p ringbuf.Page
		if err := p.Reset(l, page); err != nil {
			if !errors.Is(err, ringbuf.ErrShort) && !errors.Is(err, ringbuf.ErrCommit) || p.Next() {
				t.Fatalf("Reset: %v, then a record or not: %v", err, p.Next())
			}
			return
		}
		at := l.HeaderSize() // end of the record before
		for p.Next() {
			offset := int(uintptr(unsafe.Pointer(unsafe.SliceData(p.Data))) - uintptr(unsafe.Pointer(&page[0])))
			if offset < at+4 || offset+len(p.Data) > len(page) || len(p.Data) < 4 || len(p.Data)%4 != 0 || cap(p.Data) != len(p.Data) {
				t.Fatalf("data of %d (%d) bytes at %d of %d, after a record up to %d", len(p.Data), cap(p.Data), offset, len(page), at)
			}
			at = offset + len(p.Data)
		}
		err := p.Err()
		if err != nil && !errors.Is(err, ringbuf.ErrTruncated) && !errors.Is(err, ringbuf.ErrLength) {
			t.Errorf("error %v is not one of Next", err)
		}
		if p.Data != nil || p.Next() || !bytes.Equal(before, page) {
			t.Errorf("another record after the end, or the page has changed")
		}
	})
}
