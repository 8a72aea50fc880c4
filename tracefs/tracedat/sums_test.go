package tracedat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"
)

// summed returns a header with the checksums of pages. The events of page N are N+1. Page 7
// has no checksum, and some are of pages that do not exist, or damaged.
func summed(h *Header, pages map[int][]byte) *Header {
	var sums []byte
	for _, cpu := range []int{2, 0} {
		for i := range len(pages[cpu]) / 4096 {
			if i != 7 {
				sums = Sum{cpu, i, uint32(i + 1), CRC(pages[cpu][i*4096:][:4096])}.Append(sums, h.BigEndian)
			}
		}
	}
	for _, s := range []Sum{{9, 0, 9, 9}, {0, 300, 9, 9}, {4, 0, 9, 9}} {
		sums = s.Append(sums, h.BigEndian)
	}
	bad := Sum{0, 7, 9, 9}.Append(nil, h.BigEndian)
	bad[12] ^= 1
	h.Sums = bytes.NewReader(slices.Concat(bad, sums, bad[:15]))
	return h
}

// damagedPages reads a CPU and returns the events of its damaged pages.
func damagedPages(t *testing.T, c *CPU) (events []uint32, err error) {
	t.Helper()
	p := c.Pages()
	for {
		page, err := p.Next()
		var damaged *DamagedPage
		switch {
		case page == nil:
			return events, err
		case errors.As(err, &damaged):
			events = append(events, damaged.Events)
			if damaged.CPU != c.ID || damaged.Size != len(page) || !errors.Is(err, ErrDamaged) {
				t.Errorf("CPU %d: %v", c.ID, err)
			}
		case err != nil:
			t.Errorf("a page with the error %v", err)
		}
	}
}

// TestDamagedPages changes a byte of some pages: these are reported with their events, and
// the others are read.
func TestDamagedPages(t *testing.T) {
	pages := map[int][]byte{0: randomPages(300), 2: randomPages(3)}
	forms(t, func(t *testing.T, h *Header) {
		b := write(t, summed(h, pages), sources(pages))
		cpus := open(t, b).Buffers[0].CPUs
		wants := map[int][]uint32{0: {1, 7, 256, 257, 300}, 2: {3}}
		for cpu, changed := range map[int][]int64{0: {0, 6, 7, 255, 256, 299}, 2: {2}} {
			if h.Zstd { // the first chunk, of 32 pages
				b[cpus[cpu].offset+4+8+99] ^= 0xff
				wants[cpu] = slices.DeleteFunc([]uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
					func(n uint32) bool { return n == 8 || n > uint32(len(pages[cpu])/4096) })
				continue
			}
			for _, n := range changed {
				b[cpus[cpu].offset+n*4096] ^= 1
			}
		}
		for _, each := range []int64{0, 90 << 10} { // 16 or 17 pages of a chunk at a time
			f, err := OpenIn(bytes.NewReader(b), int64(len(b)), NewMemory(each))
			if err != nil {
				t.Fatal(err)
			}
			cpus := f.Buffers[0].CPUs
			for i := range cpus {
				if got, err := damagedPages(t, &cpus[i]); !slices.Equal(got, wants[i]) || err.Error() != "EOF" {
					t.Errorf("%d bytes, CPU %d: pages with %d events are damaged, want %d; %v", each, i, got, wants[i], err)
				}
			}
		}
	})
}

// TestDamagedSums changes the option that says where the checksums are. An impossible
// place is reported; checksums that another program has changed are not used.
func TestDamagedSums(t *testing.T) {
	pages := map[int][]byte{0: randomPages(3), 2: randomPages(2)}
	whole := write(t, summed(testHeader(6), pages), sources(pages))
	whole = whole[:len(whole)-SumSize] // the one of the head
	const version, packed, offset, count, first, last = 5, 6, 7, 15, 19, 19 + 3*8
	for _, tt := range []struct {
		name  string
		field int    // of the option's data
		add   uint64 // to its 8 bytes
		lost  int    // bytes at the end of the file
		what  string
		pages int64 // of CPU 0 that have checksums
	}{
		{"nothing", 0, 0, 0, "", 3},
		{"another version", version, 1, 0, "", 0},
		{"packed", packed, 1, 0, "", 0},
		{"magic", 0, 1, 0, "option of checksums", 0},
		{"a table before the file", offset, 1 << 63, 0, "option of checksums", 0},
		{"a table far away", offset, 1<<60 + 1, 0, "option of checksums", 0},
		{"another table", offset, 1, 0, "", 0},
		{"a CPU too many", count, 1, 0, "option of checksums", 0},
		{"a CPU too few", count, 1<<64 - 1, 0, "option of checksums", 0},
		{"pages below 0", last, 1 << 63, 0, "option of checksums", 3},
		{"too many pages", last, 1<<40 + 1, 0, "option of checksums", 3},
		{"a page more", first, 1, 0, "number of pages of CPU 0", 0},
		{"a page less", first, 1<<64 - 1, 0, "number of pages of CPU 0", 0},
		{"a page more of the last", first + 16, 1, 0, "number of pages of CPU 2", 3},
		{"the first checksum is lost", -1, 0, 0, "", 3},
		{"the end is lost", 0, 0, 1, "checksums", 3},
	} {
		b := bytes.Clone(whole[:len(whole)-tt.lost])
		data := b[bytes.Index(b, []byte(sumsMagic)):][:last+8+4]
		at := data[max(tt.field, 0):]
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)+tt.add)
		if tt.field < 0 {
			clear(b[binary.LittleEndian.Uint64(data[offset:]):][:SumSize])
		}
		end := len(data) - 4
		binary.LittleEndian.PutUint32(data[end:], crc32.Checksum(data[:end], castagnoli))
		f, err := Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		var e *Error
		if errors.As(f.Damage, &e); tt.what == "" && f.Damage != nil || tt.what != "" && (e == nil || e.What != tt.what) {
			t.Errorf("%s: damage %v, want %q", tt.name, f.Damage, tt.what)
		}
		if got := f.Buffers[0].CPUs[0].sums.pages; got != tt.pages {
			t.Errorf("%s: %d pages of CPU 0 have checksums, want %d", tt.name, got, tt.pages)
		}
	}
}
