package replay

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tsnoop/tsnoop/tracefs"
	"github.com/tsnoop/tsnoop/tracefs/stream"
	"github.com/tsnoop/tsnoop/tracefs/tracedat"
)

// A readCounter counts the bytes that are read.
type readCounter struct {
	io.ReaderAt
	n atomic.Int64
}

func (c *readCounter) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, off)
	c.n.Add(int64(n))
	return n, err
}

// A shownCall is a line for a call, and when it began.
type shownCall struct {
	began  uint64
	orphan bool
	line   string
}

// showWindow returns the calls of a window, at most most, and how many bytes were read.
func showWindow(t *testing.T, b []byte, w *stream.Window, most int, o Options) (shown []shownCall, read int64, r *File) {
	t.Helper()
	in := &readCounter{ReaderAt: bytes.NewReader(b)}
	r, err := Open(in, int64(len(b)), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Window = w
	for c, err := range r.Calls(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprint(c.Plan, c.First().CPU, c.First().TID, c.First().Time, c.Last().Time, c.Duration, c.Unfinished, c.Orphan, c.Begun)
		for f, v := range r.Values(c) {
			line += fmt.Sprint(" ", f.Name, v)
		}
		shown = append(shown, shownCall{c.First().Time, c.Orphan, line})
		if len(shown) == most {
			break
		}
	}
	return shown, in.n.Load(), r
}

// manyPages returns a recording of CPUs with n pages each, a second apart.
func manyPages(t *testing.T, cpus, n int, form func(*tracedat.Header)) []byte {
	t.Helper()
	h, pages := readFixture(t)
	form(h)
	h.Tsnoop = regexp.MustCompile(`,"End":\d+}$`).ReplaceAll(h.Tsnoop, []byte("}")) // calls that begin later are also shown
	page := pages[:pageSize]
	begin := binary.LittleEndian.Uint64(page)
	var sources []tracedat.CPUSource
	for cpu := range cpus {
		var all []byte
		for i := range n {
			at := len(all)
			all = append(all, page...)
			binary.LittleEndian.PutUint64(all[at:], begin+uint64(i*cpus+cpu)*uint64(time.Second))
		}
		sources = append(sources, tracedat.CPUSource{ID: cpu, Size: int64(len(all)), Pages: bytes.NewReader(all)})
	}
	h.CPUs = cpus
	f, err := os.Create(filepath.Join(t.TempDir(), "t.dat"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := tracedat.Write(f, h, sources); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var fileForms = map[string]func(*tracedat.Header){
	"v6":   func(h *tracedat.Header) { h.Version, h.Zstd = 6, false },
	"v7":   func(h *tracedat.Header) { h.Version, h.Zstd = 7, false },
	"zstd": func(h *tracedat.Header) { h.Version, h.Zstd = 7, true },
}

// TestWindowSeeks shows a window in the middle of a large recording, and its first calls: a
// small part is read.
func TestWindowSeeks(t *testing.T) {
	for name, form := range fileForms {
		t.Run(name, func(t *testing.T) {
			b := manyPages(t, 2, 1500, form)
			_, head, r := showWindow(t, b, stream.NewWindow(1, 1), 0, Options{})
			from := r.Start + uint64(2000*time.Second)
			shown, read, _ := showWindow(t, b, stream.NewWindow(from, from+uint64(3*time.Second)), 0, Options{})
			if len(shown) == 0 {
				t.Fatal("no calls")
			}
			for _, c := range shown {
				if c.began < from || c.began > from+uint64(3*time.Second) {
					t.Errorf("not in the window: %s", c.line)
				}
			}
			size := int64(len(b))
			t.Logf("%d calls; of %d bytes %d were read for the head, %d for the window", len(shown), size, head, read)
			if name != "zstd" && read > size/10 {
				t.Errorf("%d of %d bytes were read for the window", read, size)
			}
			if first, read, _ := showWindow(t, b, nil, 10, Options{}); len(first) != 10 || name != "zstd" && read > size/10 {
				t.Errorf("%d of %d bytes were read for %d calls", read, size, len(first))
			}
		})
	}
}

// TestWindow compares random windows of recordings with all of their calls.
func TestWindow(t *testing.T) {
	files := map[string][]byte{}
	for _, dir := range []string{filepath.Join("..", "tracedat", "testdata"), filepath.Join("..", "..", "testdata", "recordings")} {
		names, err := filepath.Glob(filepath.Join(dir, "*.dat"))
		if err != nil || len(names) == 0 {
			t.Fatal(err, names)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(name)] = b
		}
	}
	for name, form := range fileForms {
		files["many "+name] = manyPages(t, 3, 4, form)
	}
	for name, b := range files {
		t.Run(name, func(t *testing.T) {
			for _, o := range []Options{{}, {Begin: true}, {Process: true}} {
				all, _, r := showWindow(t, b, nil, 0, o)
				times := []uint64{r.Start, r.Start + 1, r.End(), r.End() + 1}
				for _, c := range all {
					times = append(times, c.began)
				}
				rnd := rand.New(rand.NewPCG(1, 2))
				for range 10 {
					at := func() uint64 { return times[rnd.IntN(len(times))] + uint64(rnd.IntN(3)) }
					from, to := at(), at()
					from, to = max(min(from, to), 2)-1, max(from, to, 2)-1
					want := slices.DeleteFunc(slices.Clone(all), func(c shownCall) bool { return c.orphan || c.began < from || c.began > to })
					got, _, _ := showWindow(t, b, stream.NewWindow(from, to), 0, o)
					if !slices.Equal(got, want) {
						t.Fatalf("%+v: %d to %d: got %d calls, want %d of %d\n%s\nwant\n%s", o, from, to, len(got), len(want), len(all), linesOf(got), linesOf(want))
					}
				}
				to := times[len(times)/2]
				want := slices.DeleteFunc(slices.Clone(all), func(c shownCall) bool { return c.began > to })
				if got, _, _ := showWindow(t, b, stream.NewWindow(0, to), 0, o); !slices.Equal(got, want) {
					t.Errorf("%+v: to %d: got\n%s\nwant\n%s", o, to, linesOf(got), linesOf(want))
				}
			}
		})
	}
}

func linesOf(all []shownCall) string {
	var b strings.Builder
	for _, c := range all[:min(5, len(all))] {
		b.WriteString(c.line + "\n")
	}
	return b.String()
}

// TestWindowCrafted: with times that go back, are huge or equal, a window ends, and shows only
// calls that began in it.
func TestWindowCrafted(t *testing.T) {
	whole := manyPages(t, 2, 8, fileForms["v7"])
	_, _, r := showWindow(t, whole, stream.NewWindow(1, 1), 0, Options{})
	start, end := r.Start, r.End()
	first := r.file.Buffers[0].CPUs
	for name, damaged := range map[string]func(page int, at uint64) uint64{
		"back":   func(page int, at uint64) uint64 { return start + end - at },
		"huge":   func(page int, at uint64) uint64 { return at | uint64(page%2)<<63 },
		"most":   func(page int, at uint64) uint64 { return at | -uint64(page%2) },
		"equal":  func(int, uint64) uint64 { return start },
		"zero":   func(page int, at uint64) uint64 { return at * uint64(page%2) },
		"random": func(page int, at uint64) uint64 { return start + at*0x9e3779b97f4a7c15%(end-start) },
	} {
		b := bytes.Clone(whole)
		for i := range first {
			for page := range 8 {
				at := b[first[i].Offset()+int64(page*pageSize):]
				binary.LittleEndian.PutUint64(at, damaged(page, binary.LittleEndian.Uint64(at)))
			}
		}
		for from := start; from < end; from += uint64(1500 * time.Millisecond) {
			shown, read, _ := showWindow(t, b, stream.NewWindow(from, from+uint64(time.Second)), 0, Options{Warn: func(tracefs.Warning) {}})
			for _, c := range shown {
				if c.began < from || c.began > from+uint64(time.Second) {
					t.Errorf("%s: not in the window: %s", name, c.line)
				}
			}
			if read > 4*int64(len(b)) {
				t.Errorf("%s: %d of %d bytes were read", name, read, len(b))
			}
		}
	}
}
