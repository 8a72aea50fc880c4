package tracedat

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"testing"
)

// timedPages returns pages that begin at these times, and end a unit later.
func timedPages(times ...uint64) []byte {
	b := randomPages(len(times))
	for i, t := range times {
		binary.LittleEndian.PutUint64(b[i*4096:], t)
	}
	return b
}

// timesIn returns the times in a page of timedPages; 0 is that of a damaged page.
func timesIn(page []byte) (PageTimes, bool) {
	t := binary.LittleEndian.Uint64(page)
	return PageTimes{t, t + 1}, t > 0
}

// A counter counts the bytes that are read.
type counter struct {
	io.ReaderAt
	n int64
}

func (c *counter) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, off)
	c.n += int64(n)
	return n, err
}

// storedForms are the forms that pages are stored in.
var storedForms = []struct {
	name string
	form func(*Header)
}{
	{"v6", func(h *Header) { h.Version = 6 }},
	{"v7", func(h *Header) {}},
	{"zstd", func(h *Header) { h.Zstd = true }},
}

// TestPagesFrom finds pages among many and reads few of them.
func TestPagesFrom(t *testing.T) {
	const pages = 4096
	var times []uint64
	for i := range uint64(pages) {
		times = append(times, 10+10*i)
	}
	for _, form := range storedForms {
		t.Run(form.name, func(t *testing.T) {
			h := testHeader(7)
			form.form(h)
			b := write(t, h, sources(map[int][]byte{0: timedPages(times...)}))
			in := &counter{ReaderAt: bytes.NewReader(b)}
			f, err := Open(in, int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			c := &f.Buffers[0].CPUs[0]
			for _, from := range []uint64{0, 9, 10, 11, 20, 21, 20_000, 20_001, 10 * pages, 10*pages + 1, math.MaxUint64} {
				in.n = 0
				p := c.PagesFrom(from, timesIn)
				b, err := p.Next()
				if err != nil {
					t.Fatal(err)
				}
				first, _ := timesIn(b)
				next, err := p.Next()
				// At most the other pages of a chunk precede it.
				if late, early := first.First >= from && first.First > 10, from > first.First+10*33; late || err == nil && early && from <= 10*pages {
					t.Errorf("from %d: the first page is from %d, %v", from, first.First, err)
				}
				if err == nil && binary.LittleEndian.Uint64(next) != first.First+10 {
					t.Errorf("from %d: the second page is not the one after the first", from)
				}
				if in.n > pages*4096/10 {
					t.Errorf("from %d: %d bytes of %d were read", from, in.n, pages*4096)
				}
			}
			if last, ok := c.Last(timesIn); !ok || last.Last != 10*pages+1 {
				t.Errorf("the last page ends at %d", last.Last)
			}
		})
	}
}

// TestPagesFromDamaged: pages without times, and times that are not in order, begin the pages
// earlier, and never later.
func TestPagesFromDamaged(t *testing.T) {
	for _, tt := range []struct {
		name  string
		times []uint64
		from  uint64
		first uint64
	}{
		{"no times", []uint64{0, 0, 0, 0, 0, 0, 0, 0}, 5, 0},
		{"a page without", []uint64{10, 20, 30, 40, 0, 60, 70, 80}, 75, 70},
		{"half without", []uint64{10, 20, 30, 40, 0, 0, 0, 0}, 75, 10},
		{"equal", []uint64{50, 50, 50, 50, 50, 50, 50, 50}, 60, 50},
		{"back", []uint64{10, 20, 30, 40, 5, 15, 25, 35}, 32, 10},
		{"huge", []uint64{10, 20, 30, 40, math.MaxUint64 - 1, 60, 70, 80}, 75, 10},
		{"overflow", []uint64{10, 20, 30, 40, math.MaxUint64, 60, 70, 80}, 75, 10},
	} {
		h := testHeader(6)
		f := open(t, write(t, h, sources(map[int][]byte{0: timedPages(tt.times...)})))
		b, err := f.Buffers[0].CPUs[0].PagesFrom(tt.from, timesIn).Next()
		if err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint64(b); got != tt.first {
			t.Errorf("%s: the pages begin at %d, want %d", tt.name, got, tt.first)
		}
		f.Buffers[0].CPUs[0].Last(timesIn)
	}
}

// TestPagesFromSums: checksums belong to the pages that are read.
func TestPagesFromSums(t *testing.T) {
	var times []uint64
	var sums []byte
	for i := range uint64(1000) {
		times = append(times, 10+10*i)
	}
	pages := timedPages(times...)
	for i := range times {
		sums = Sum{Page: i, Events: 1, CRC: CRC(pages[i*4096 : (i+1)*4096])}.Append(sums, false)
	}
	for _, form := range storedForms {
		h := testHeader(7)
		form.form(h)
		h.Sums = bytes.NewReader(sums)
		f := open(t, write(t, h, sources(map[int][]byte{0: pages})))
		p := f.Buffers[0].CPUs[0].PagesFrom(7777, timesIn)
		n := 0
		for b, err := p.Next(); err != io.EOF; b, err = p.Next() {
			if n++; b == nil || err != nil {
				t.Fatalf("%s: %v", form.name, err)
			}
		}
		if n < 223 || n > 223+32 {
			t.Errorf("%s: %d pages, want those from 7770 on", form.name, n)
		}
	}
}
