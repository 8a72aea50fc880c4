package tracedat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func testHeader(version int) *Header {
	return &Header{
		Version: version, LongSize: 8, PageSize: 4096,
		HeaderPage:  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
		HeaderEvent: "# compressed entry header\n",
		Events: []EventText{
			{"ftrace", "name: function\nID: 1\n"}, {"ftrace", "name: print\nID: 5\n"},
			{"tsnoop_1", "name: a\nID: 1500\n"}, {"tsnoop_1", "name: b\nID: 1501\n"}, {"sched", "name: c\nID: 300\n"},
		},
		Kallsyms: []byte("ffffffff81000000 T _text\n"),
		Printk:   []byte("0xffffffff82000000 : \"x\"\n"),
		Cmdlines: map[int]string{1: "init", 77: "a b  c ", 4194303: "x"},
		Clock:    "mono", Uname: "Linux n 6.12 x86_64", Recorder: "tsnoop 1",
		CPUStats: []string{"CPU: 0\nentries: 1\n"},
		CPUs:     4,
		Tsnoop:   []byte("{}\x00\xff"),
	}
}

// write writes a file and returns its bytes.
func write(t testing.TB, h *Header, cpus []CPUSource) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "trace.dat")
	w, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := Write(w, h, cpus); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// forms calls f with all forms in which a file can be written.
func forms(t *testing.T, f func(t *testing.T, h *Header)) {
	for _, form := range []struct {
		version int
		zstd    bool
	}{{6, false}, {7, false}, {7, true}} {
		for _, big := range []bool{false, true} {
			t.Run(fmt.Sprintf("version=%d,zstd=%t,big=%t", form.version, form.zstd, big), func(t *testing.T) {
				h := testHeader(form.version)
				h.Zstd, h.BigEndian = form.zstd, big
				f(t, h)
			})
		}
	}
}

func TestWriteOpen(t *testing.T) {
	forms(t, func(t *testing.T, h *Header) {
		pages := map[int][]byte{0: randomPages(100), 2: randomPages(1), 5: randomPages(33)}
		b := write(t, h, sources(pages))
		f := open(t, b)
		got, err := f.Header()
		if err != nil {
			t.Fatal(err)
		}
		got.Version, got.Zstd = f.Version, f.Compression == "zstd"
		want := *h
		want.CPUs = 6
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Error(diff)
		}
		if len(f.Buffers) != 1 || len(f.Buffers[0].CPUs) != 6 {
			t.Fatalf("buffers %+v", f.Buffers)
		}
		if at := f.Buffers[0].offset; h.Version == 7 {
			if _, section := (&opener{File: f}).sectionHeader(at, optBuffer, ""); section.size != uint64(len(b))-uint64(at)-sectionSize {
				t.Errorf("the section of pages at %d of %d has %d bytes", at, len(b), section.size)
			}
		}
		for i := range f.Buffers[0].CPUs {
			c := &f.Buffers[0].CPUs[i]
			if got, err := readAll(c); err != nil || c.ID != i || !bytes.Equal(got, pages[i]) {
				t.Errorf("CPU %d: %d bytes, want %d, %v", c.ID, len(got), len(pages[i]), err)
			}
			if c.Size > 0 && c.offset%4096 != 0 {
				t.Errorf("CPU %d at %d", c.ID, c.offset)
			}
		}
	})
}

// A file that the disk had no room for can be read as far as it goes.
func TestWriteTruncated(t *testing.T) {
	forms(t, func(t *testing.T, h *Header) {
		pages := map[int][]byte{0: randomPages(40), 1: randomPages(40)}
		b := write(t, h, sources(pages))
		f, n := wholePages(t, b[:len(b)*3/4], pages)
		if f == nil || !errors.Is(f.Damage, ErrTruncated) || n < 40 || n >= 80 || len(f.Events) != 5 || f.Tsnoop == nil {
			t.Errorf("%d pages, damage %v", n, f.Damage)
		}
	})
}

// Sub-buffers that are larger than the machine's pages, and small ones, which follow what is
// before them with almost no room.
func TestWritePageSizes(t *testing.T) {
	forms(t, func(t *testing.T, h *Header) {
		for _, h.PageSize = range []int{256, 256 << 10} {
			h.HeaderPage = ""
			want := randomPages(64 * 3)
			f := open(t, write(t, h, sources(map[int][]byte{1: want})))
			page, err := f.Buffers[0].CPUs[1].Pages().Next()
			if err != nil || len(page) != h.PageSize || !bytes.Equal(page, want[:h.PageSize]) || f.Clock != h.Clock {
				t.Errorf("page of %d bytes, %v", len(page), err)
			}
			if got, err := readAll(&f.Buffers[0].CPUs[1]); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		}
	})
}

func TestWriteNothing(t *testing.T) {
	for _, version := range []int{6, 7} {
		f := open(t, write(t, &Header{Version: version, LongSize: 4, PageSize: 4096}, nil))
		if f.Clock != "local" || f.LongSize != 4 || f.Tsnoop != nil || len(f.Events) != 0 || len(f.Buffers[0].CPUs) != 0 {
			t.Errorf("version %d: %+v", version, f)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	page := bytes.Repeat([]byte{1}, 4096)
	source := func(id int, size int64) CPUSource { return CPUSource{id, size, bytes.NewReader(page)} }
	for _, tt := range []struct {
		name   string
		change func(*Header)
		cpus   []CPUSource
		want   error
	}{
		{"version", func(h *Header) { h.Version = 5 }, nil, ErrUnsupported},
		{"version 6 with zstd", func(h *Header) { h.Version, h.Zstd = 6, true }, nil, ErrUnsupported},
		{"long", func(h *Header) { h.LongSize = 2 }, nil, nil},
		{"page", func(h *Header) { h.PageSize = 4095 }, nil, nil},
		{"system", func(h *Header) { h.Events = []EventText{{"a\x00b", ""}} }, nil, nil},
		{"half a page", func(h *Header) {}, []CPUSource{source(0, 100)}, nil},
		{"CPU -1", func(h *Header) {}, []CPUSource{source(-1, 4096)}, nil},
		{"CPU twice", func(h *Header) {}, []CPUSource{source(1, 4096), source(1, 4096)}, nil},
		{"CPU 2147483647", func(h *Header) {}, []CPUSource{source(1<<31-1, 4096)}, nil},
		{"short", func(h *Header) {}, []CPUSource{source(0, 8192)}, io.ErrUnexpectedEOF},
		{"short, zstd", func(h *Header) { h.Zstd = true }, []CPUSource{source(0, 8192)}, io.ErrUnexpectedEOF},
	} {
		h := testHeader(7)
		tt.change(h)
		w, err := os.Create(filepath.Join(t.TempDir(), "trace.dat"))
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(w, h, tt.cpus); err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
		w.Close()
	}
}

// TestWriteCmdlines writes names that cannot be written as saved_cmdlines has them.
func TestWriteCmdlines(t *testing.T) {
	h := testHeader(6)
	h.Cmdlines = map[int]string{1: "", 2: "a\n3 b", 3: " c"}
	f := open(t, write(t, h, nil))
	if want := map[int]string{2: "a?3 b", 3: " c"}; !cmp.Equal(f.Cmdlines, want) {
		t.Error(cmp.Diff(want, f.Cmdlines))
	}
}

func sources(pages map[int][]byte) []CPUSource {
	var cpus []CPUSource
	for id, b := range pages {
		cpus = append(cpus, CPUSource{id, int64(len(b)), bytes.NewReader(b)})
	}
	return cpus
}

// randomPages returns pages of 4096 bytes that can be compressed by a half.
func randomPages(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n*4096)
	for i := range b {
		b[i] = byte(r.IntN(16))
	}
	return b
}
