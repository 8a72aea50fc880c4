package tracedat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// wholePages reads what there is of a file, which may be damaged, and returns
// the pages by CPU. Every page must be one of those of the sound file, in its
// place, if there is one.
func wholePages(t *testing.T, b []byte, sound map[int][]byte) (f *File, n int) {
	t.Helper()
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, 0
	}
	if f.Damage != nil && !asError(f.Damage) {
		t.Fatalf("damage %v is not an *Error", f.Damage)
	}
	for i := range f.Buffers {
		for j := range f.Buffers[i].CPUs {
			c := &f.Buffers[i].CPUs[j]
			got, err := readAll(c)
			n += len(got) / 4096
			if err != nil && !asError(err) {
				t.Fatalf("%v is not an *Error", err)
			}
			if sound != nil && !bytes.HasPrefix(sound[c.ID], got) {
				t.Fatalf("CPU %d: pages are not those of the file", c.ID)
			}
		}
	}
	return f, n
}

// asError reports whether err says where, and wraps one of the sentinels.
func asError(err error) bool {
	var e *Error
	return errors.As(err, &e) && (errors.Is(err, ErrTruncated) || errors.Is(err, ErrDamaged))
}

func soundPages(t *testing.T, b []byte) map[int][]byte {
	t.Helper()
	sound := map[int][]byte{}
	cpus := open(t, b).Buffers[0].CPUs
	for i := range cpus {
		pages, err := readAll(&cpus[i])
		if err != nil {
			t.Fatal(err)
		}
		sound[cpus[i].ID] = pages
	}
	return sound
}

func TestTruncated(t *testing.T) {
	for _, name := range recorded {
		whole := load(t, name)
		sound := soundPages(t, whole)
		for n := 0; n < len(whole); n += 97 {
			f, pages := wholePages(t, whole[:n], sound)
			if f == nil {
				if n > 64 {
					t.Errorf("%s: %d bytes: refused", name, n)
				}
				continue
			}
			// After the last options there are only names of sections.
			if f.Damage == nil && pages < 20 {
				t.Errorf("%s: %d of %d bytes: no damage, %d pages", name, n, len(whole), pages)
			}
			if f.Version == 6 && len(f.Buffers) > 0 {
				if want := max(0, (n-int(f.Buffers[0].CPUs[0].offset))/4096); pages != want || !errors.Is(f.Damage, ErrTruncated) {
					t.Errorf("%s: %d bytes: %d pages, want %d; damage %v", name, n, pages, want, f.Damage)
				}
			}
			if errors.Is(f.Damage, ErrDamaged) {
				t.Errorf("%s: %d bytes: %v", name, n, f.Damage)
			}
		}
	}
}

// A version 6 file that is cut off in its texts gives those before.
func TestTruncatedTexts(t *testing.T) {
	whole := load(t, "v6")
	f, _ := wholePages(t, whole[:bytes.Index(whole, []byte(" ksys_lseek\n"))], nil)
	var e *Error
	if !errors.As(f.Damage, &e) || e.What != "kallsyms" || e.Offset == 0 || !errors.Is(e, ErrTruncated) {
		t.Errorf("damage %v", f.Damage)
	}
	if len(f.Events) != 20 || f.HeaderPage == "" || kallsyms(t, f) != nil || f.Buffers != nil {
		t.Errorf("%d events, header_page %q, kallsyms %q, buffers %v", len(f.Events), f.HeaderPage, kallsyms(t, f), f.Buffers)
	}
}

// A text that claims to be longer than the file is reported with its place.
func TestLongText(t *testing.T) {
	for _, name := range recorded[:2] {
		b := load(t, name)
		at := bytes.Index(b, open(t, b).Printk)
		b[at-1] = 0xff
		f, _ := wholePages(t, b, nil)
		var e *Error
		if !errors.As(f.Damage, &e) || e.What != "printk formats" || e.Offset != int64(at) || !errors.Is(e, ErrDamaged) {
			t.Errorf("%s: damage %v, not at %d", name, f.Damage, at)
		}
	}
}

// Each of the first bytes, and one bit or all of a thousand of the others: no damage makes
// a panic.
func TestFlipped(t *testing.T) {
	for _, name := range recorded {
		b := load(t, name)
		for i := 0; i < len(b); i++ {
			flips := []byte{0xff, 0x01, 0x80}
			if i > 256 {
				i += len(b) / 1000
				flips = flips[i%3:][:1]
			}
			if i%oneOf > 0 {
				continue
			}
			for _, flip := range flips {
				at := &b[min(i, len(b)-1)]
				*at ^= flip
				wholePages(t, b, nil)
				*at ^= flip
			}
		}
	}
}

// The end of a compressed file is zeros, as where a disk has lost it, also the checksums: the
// CPU whose chunks are not there any more says so, and the others are whole.
func TestPackedEndLost(t *testing.T) {
	h := testHeader(7)
	h.Zstd = true
	pages := map[int][]byte{0: randomPages(40), 1: randomPages(3), 2: randomPages(40)}
	whole := write(t, h, sources(pages))
	cpus := open(t, whole).Buffers[0].CPUs[:len(pages)]
	for lost := range cpus {
		b := bytes.Clone(whole)
		clear(b[cpus[lost].offset:])
		for i := range cpus {
			got, err := readAll(&open(t, b).Buffers[0].CPUs[i])
			var e *Error
			switch {
			case i < lost:
				if err != nil || !bytes.Equal(got, pages[i]) {
					t.Errorf("lost from CPU %d on: CPU %d: %d bytes, %v", lost, i, len(got), err)
				}
			case len(got) != 0 || !errors.As(err, &e) || !errors.Is(e, ErrDamaged) || e.Offset != cpus[i].offset+4:
				t.Errorf("lost from CPU %d on: CPU %d: %d bytes, %v", lost, i, len(got), err)
			}
		}
	}
}

// TestPackedDamaged changes the second chunk of a CPU: the pages of the first are read, and the
// error has the place.
func TestPackedDamaged(t *testing.T) {
	h := testHeader(7)
	h.Zstd = true
	pages := randomPages(72)
	whole := write(t, h, sources(map[int][]byte{0: pages}))
	c := open(t, whole).Buffers[0].CPUs[0]
	second := c.offset + 4 + 8 + int64(binary.LittleEndian.Uint32(whole[c.offset+4:]))
	const packed, size, data = 0, 4, 8 + 99
	for _, tt := range []struct {
		at    int64
		is    string
		after int64 // the second chunk's start
		bound bool
	}{
		{size, "\x00\x00\x00\x00", 0, false},
		{size, "\x01\x00\x00\x00", 0, false},
		{size, "\x00\x10\x00\x01", 0, true},
		{size, "\x00\x00\x00\x01", 0, false},
		{packed, "\x00\x00\x00\x10", 8, false},
		{packed, "\x00\x00\x03\x00", 8, false},
		{data, "\x55\xaa", 0, false},
	} {
		b := bytes.Clone(whole)
		copy(b[second+tt.at:], tt.is)
		f := open(t, b)
		got, err := readAll(&f.Buffers[0].CPUs[0])
		var e *Error
		var bound *BoundError
		if !bytes.Equal(got, pages[:32*4096]) || !errors.As(err, &e) || e.Offset != second+tt.after || !errors.Is(e, ErrDamaged) || errors.As(err, &bound) != tt.bound {
			t.Errorf("%q at %d: %d bytes, %v, want that at %d", tt.is, tt.at, len(got), err, second+tt.after)
		}
	}
}

// Any byte before the pages is another one: the file says that it is damaged. It is not if no
// byte is, nor where another program has made a file of it, which keeps the options only.
func TestHeadDamaged(t *testing.T) {
	forms(t, func(t *testing.T, h *Header) {
		pages := randomPages(3)
		var sums []byte
		for i := range 3 {
			sums = Sum{CPU: 0, Page: i, Events: 1, CRC: CRC(pages[i*4096:][:4096])}.Append(sums, h.BigEndian)
		}
		h.Sums = bytes.NewReader(sums)
		whole := write(t, h, []CPUSource{{0, int64(len(pages)), bytes.NewReader(pages)}})
		if f := open(t, whole); f.Damage != nil {
			t.Fatal(f.Damage)
		}
		if f := open(t, whole[:len(whole)-SumSize]); f.Damage != nil {
			t.Errorf("as older versions wrote it: %v", f.Damage)
		}
		end := int(open(t, whole).Buffers[0].CPUs[0].offset) &^ 4095
		b := bytes.Clone(whole)
		for i := range end {
			b[i] ^= 4
			f, err := Open(bytes.NewReader(b), int64(len(b)))
			if err == nil && f.Damage == nil && len(bytes.TrimLeft(whole[i:end], "\x00")) > 0 {
				t.Fatalf("byte %d of %d: no damage", i, end)
			}
			b[i] ^= 4
		}
	})
}

// A failingReader fails from an offset on.
type failingReader struct {
	r    io.ReaderAt
	from int64
}

var errFailing = errors.New("input/output error")

func (f failingReader) ReadAt(b []byte, off int64) (int, error) {
	if off+int64(len(b)) > f.from {
		n, _ := f.r.ReadAt(b[:max(0, f.from-off)], off)
		return n, errFailing
	}
	return f.r.ReadAt(b, off)
}

func TestReadError(t *testing.T) {
	b := load(t, "v6")
	at := open(t, b).Buffers[0].CPUs[0].offset
	f, err := Open(failingReader{bytes.NewReader(b), at + 4096*3 + 5}, int64(len(b)))
	if err != nil || f.Damage != nil {
		t.Fatal(err, f.Damage)
	}
	got, err := readAll(&f.Buffers[0].CPUs[0])
	var e *Error
	if len(got) != 3*4096 || !errors.Is(err, errFailing) || !errors.As(err, &e) || e.Offset != at+4096*3+5 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	f, err = Open(failingReader{bytes.NewReader(b), 5000}, int64(len(b)))
	if err != nil || !errors.Is(f.Damage, errFailing) || len(f.Events) == 0 {
		t.Errorf("got %v, damage %v, %d events", err, f.Damage, len(f.Events))
	}
}

// A small file must not take much memory, whatever sizes it contains.
func TestSmallFileLargeSizes(t *testing.T) {
	h := testHeader(7)
	h.Zstd = true
	page := make([]byte, 4096)
	file := write(t, h, []CPUSource{{ID: 0, Size: 4096, Pages: bytes.NewReader(page)}})
	for i := range len(file) - 4 {
		was := bytes.Clone(file[i : i+4])
		copy(file[i:], "\xff\xff\xff\x03") // 64 MiB
		f, err := Open(bytes.NewReader(file), int64(len(file)))
		if err == nil {
			for j := range f.Buffers {
				for k := range f.Buffers[j].CPUs {
					p := f.Buffers[j].CPUs[k].Pages()
					for n := 0; ; n++ {
						if _, err := p.Next(); err != nil {
							break
						}
					}
					if held := cap(p.in) + cap(p.out); held > 1<<21 {
						t.Fatalf("byte %d: a reader holds %d bytes of a file of %d", i, held, len(file))
					}
				}
			}
		}
		copy(file[i:], was)
	}
}
